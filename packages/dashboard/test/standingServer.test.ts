/**
 * All browser tests of the default server in one file, so that a worker starts the browser and the server, and
 * compiles the pages, only once.
 */
import "./suites/chat.ts"
import "./suites/documents.ts"
import "./suites/bots.ts"
import "./suites/sources.ts"
import "./suites/usage.ts"
import "./suites/keyboard.ts"
import "./suites/hostileReplies.ts"
import { longChat } from "./suites/longChat.ts"
import { missingParts } from "./suites/missingParts.ts"
import { brokenConnection } from "./suites/problems.ts"
import { describeInChromium } from "./support/describeInChromium.ts"
import { everyChatState } from "./looks/everyChatState.ts"
import { everyPage } from "./looks/everyPage.ts"
import { filledPages } from "./looks/filledPages.ts"
import { LIGHT, PHONE_DARK } from "./looks/Look.ts"

everyPage([PHONE_DARK])
everyChatState([PHONE_DARK])
filledPages([LIGHT])
describeInChromium("the server as it comes", {}, (stage) => {
  brokenConnection(stage)
  missingParts(stage)
  longChat(stage)
})
