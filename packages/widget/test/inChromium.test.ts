/**
 * All that the widget shows in a browser, in one file: what a worker starts for it (the browser, the service, what is compiled
 * of the widget) is started once.
 */
import "./suites/chat.ts"
import "./suites/challenge.ts"
import "./suites/embedding.ts"
import "./suites/hostileReplies.ts"
import "./suites/bundled.ts"
import "./suites/looks.ts"
