import { element } from "./element.js"
import { showNotes } from "./notice.js"
import { countOf } from "./wording.js"

/**
 * What a person should know about a reply that has begun; undefined where there is nothing.
 * @param {import("./replyStream.js").ReplyStart} start
 * @param {(documentId: string) => string} filename
 */
export const replyNotes = ({ limitedTo, pendingDocuments }, filename) => {
  const sentences = []
  if (limitedTo !== undefined) {
    sentences.push(`Your balance buys a shorter reply than usual: at most ${countOf(limitedTo, "token")}.`)
  }
  if (pendingDocuments.length > 0) {
    const names = pendingDocuments.map(filename).join(", ")
    sentences.push(`Left out, because not ready: ${names}. Ask again once it is.`)
  }
  if (sentences.length === 0) return undefined
  const box = element("div", { class: "notes" })
  showNotes(box, sentences)
  return box
}

/** Offers to put the question once more. @param {() => void} onAgain */
export const askAgain = (onAgain) => {
  const button = element("button", { type: "button", class: "text-button" }, "Ask again")
  button.addEventListener("click", () => {
    button.remove()
    onAgain()
  })
  return button
}
