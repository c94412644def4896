import type { Message } from "../conversation/Message.ts"
import type { Catalogue } from "../languages/Catalogue.ts"

/** A conversation as plain text: each message below the name of its author, with a note if it is not whole. */
export const transcriptText = (messages: ReadonlyArray<Message>, texts: Catalogue, botName: string): string => {
  const authorOf = ({ author, role }: Message) => {
    if (role === "visitor") return texts.say("you")
    return author === undefined ? botName : author || texts.say("aPerson")
  }
  const noteOf = ({ state }: Message) =>
    state === "unsent" || state === "stopped" || state === "broken" || state === "partial"
      ? `\n[${texts.say(state)}]`
      : ""
  return messages.map((message) => `${authorOf(message)}:\n${message.text}${noteOf(message)}\n`).join("\n")
}

/** Has the browser save a text under a name. */
export const saveText = (name: string, text: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }))
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
