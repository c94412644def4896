import type { ChatMessage } from "@parley/core"
import { readPassages } from "@parley/core/adapter"

/** The newest thing the user said. */
export const questionOf = (messages: ReadonlyArray<ChatMessage>): string =>
  messages.findLast((message) => message.role === "user" && readPassages(message.content) === undefined)?.content ?? ""
