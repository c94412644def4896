/** The longer browser tests of the default server's pages. */
import { bots } from "./suites/bots.ts"
import { visitorFiles } from "./suites/visitorFiles.ts"
import { documents } from "./suites/documents.ts"
import { keyboard } from "./suites/keyboard.ts"
import "./suites/languages.ts"
import { sources } from "./suites/sources.ts"
import "./suites/tables.ts"
import { usage } from "./suites/usage.ts"
import { longChat } from "./suites/longChat.ts"
import { describeInChromium } from "./support/describeInChromium.ts"
import { filledPages } from "./looks/filledPages.ts"
import { LIGHT } from "./looks/Look.ts"

filledPages([LIGHT])
describeInChromium("the server as it comes", {}, longChat)
describeInChromium("bots", {}, bots)
describeInChromium("files of a bot's visitors", {}, visitorFiles)
describeInChromium("documents", {}, documents)
describeInChromium("a chat", {}, keyboard)
describeInChromium("the sources of a reply", {}, sources)
describeInChromium("usage", {}, usage)
