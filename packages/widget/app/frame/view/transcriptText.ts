import type { Message } from "../conversation/Message.ts"
import type { Catalogue } from "../languages/Catalogue.ts"

/** A conversation as plain text: each message below its author's name, with a note if the message is incomplete. */
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

/** Makes the browser save a text as a file. */
export const saveText = (name: string, text: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }))
  link.download = name
  link.click()
  // By then the browser has read the file, so its address can be released.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
