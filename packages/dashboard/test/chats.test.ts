/** The browser tests of the default server's chats, in one file, as in `pages.test.ts`. */
import { chat } from "./suites/chat.ts"
import { hostileChat } from "./suites/hostileReplies.ts"
import "./suites/otherPages.ts"
import "./suites/richReplies.ts"
import "./suites/images.ts"
import "./suites/projects.ts"
import "./suites/sharing.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

describeInChromium("a person with documents", {}, chat)
describeInChromium("a chat full of hostile replies", {}, hostileChat)
