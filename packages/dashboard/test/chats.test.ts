/** The browser tests of the default server's chats, in one file, as in `pages.test.ts`. */
import "./suites/chat.ts"
import "./suites/hostileReplies.ts"
import "./suites/otherPages.ts"
import "./suites/richReplies.ts"
import "./suites/images.ts"
import "./suites/projects.ts"
import "./suites/sharing.ts"
