import type { ChatMessage } from "@parley/core"
import { readPassages } from "@parley/core/adapter"

/** The user's newest message. */
export const questionOf = (messages: ReadonlyArray<ChatMessage>): string =>
  messages.findLast((message) => message.role === "user" && readPassages(message.content) === undefined)?.content ?? ""
