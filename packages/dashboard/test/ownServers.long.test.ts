/** The longer browser tests of servers of other settings. */
import "./suites/reindexing.ts"
import "./suites/signIn.ts"
import "./suites/widgetOrigin.ts"
