/** The browser tests of the default server's chats, in one file, as in `pages.test.ts`. */
import "./suites/chat.ts"
import "./suites/sources.ts"
import "./suites/hostileReplies.ts"
import "./suites/otherPages.ts"
import { everyChatState } from "./looks/everyChatState.ts"
import { PHONE_DARK } from "./looks/Look.ts"

everyChatState([PHONE_DARK])
