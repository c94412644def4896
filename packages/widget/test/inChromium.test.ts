/**
 * The browser tests of the widget in one file, so that a worker starts the browser and the service, and compiles the
 * widget, only once.
 */
import "./suites/chat.ts"
import "./suites/appearance.ts"
import "./suites/cards.ts"
import "./suites/challenge.ts"
import "./suites/embedding.ts"
import "./suites/files.ts"
import "./suites/hostileReplies.ts"
import "./suites/languages.ts"
