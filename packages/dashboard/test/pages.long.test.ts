/** The longer browser tests of the default server's pages. */
import "./suites/bots.ts"
import "./suites/visitorFiles.ts"
import "./suites/documents.ts"
import "./suites/keyboard.ts"
import "./suites/languages.ts"
import "./suites/sources.ts"
import "./suites/tables.ts"
import "./suites/usage.ts"
import { longChat } from "./suites/longChat.ts"
import { describeInChromium } from "./support/describeInChromium.ts"
import { filledPages } from "./looks/filledPages.ts"
import { LIGHT } from "./looks/Look.ts"

filledPages([LIGHT])
describeInChromium("the server as it comes", {}, longChat)
