/** The longer browser tests of servers of other settings. */
import { BRAND_LOOKS, branding } from "./suites/branding.ts"
import "./suites/reindexing.ts"
import "./suites/signIn.ts"
import "./suites/widgetOrigin.ts"

branding(BRAND_LOOKS)
