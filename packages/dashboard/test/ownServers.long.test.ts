/** The longer browser tests of servers of other settings. */
import { ALL_BRAND_PAGES, BRAND_LOOKS, branding } from "./suites/branding.ts"
import "./suites/reindexing.ts"
import "./suites/signIn.ts"
import "./suites/widgetOrigin.ts"

branding(BRAND_LOOKS, ALL_BRAND_PAGES)
