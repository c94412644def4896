/**
 * The browser tests of the default server's pages, in one file, so that a worker starts the browser and the server, and
 * compiles the pages, only once. `chats.test.ts` has those of its chats, so that two workers share the work, and
 * `pages.long.test.ts` the longer ones.
 */
import "./suites/shell.ts"
import { missingParts } from "./suites/missingParts.ts"
import { brokenConnection } from "./suites/problems.ts"
import { describeInChromium } from "./support/describeInChromium.ts"
import { everyPage } from "./looks/everyPage.ts"
import { PHONE_DARK } from "./looks/Look.ts"

everyPage([PHONE_DARK])
describeInChromium("the server as it comes", {}, (stage) => {
  brokenConnection(stage)
  missingParts(stage)
})
