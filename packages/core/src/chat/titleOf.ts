import type { ChatMessage } from "../models/ChatMessage.ts"

/** The most characters of a title. */
const TITLE_CHARACTERS = 80
/** The part of a message from which a title is made. */
const TITLE_SOURCE = 1_000

/** The title of a chat that begins with these messages. */
export const titleOf = (messages: ReadonlyArray<ChatMessage>): string => {
  const asked = messages.find((message) => message.role === "user")?.content ?? ""
  const words = asked.trimStart().slice(0, TITLE_SOURCE).trimEnd().replaceAll(/\s+/g, " ")
  const characters = Array.from(words)
  return characters.length <= TITLE_CHARACTERS ? words : `${characters.slice(0, TITLE_CHARACTERS - 1).join("")}…`
}
