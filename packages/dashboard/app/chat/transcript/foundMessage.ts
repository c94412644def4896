import { useEffect } from "react"
import { useSearchParams } from "react-router"
import type { ChatSummary } from "../../api/chats.ts"
import type { Conversation } from "../Conversation.ts"

/** Longest wait in milliseconds until a found message and its words are on the page. */
const SHOWN_WITHIN_MS = 3_000

/** The address of a chat in a list. If a search found its words in a message, the address names that message. */
export const addressOf = ({ found, id }: ChatSummary, words: string): string =>
  found === undefined
    ? `/chats/${id}`
    : `/chats/${id}?${new URLSearchParams({ message: found.messageId, words }).toString()}`

/**
 * The range of the words in the texts of an element, in upper or lower case; undefined if formatting separates them.
 */
const rangeOf = (element: Element, words: string): Range | undefined => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const place = (node.nodeValue ?? "").toLowerCase().indexOf(words.toLowerCase())
    if (place < 0 || words === "") continue
    const range = new Range()
    range.setStart(node, place)
    range.setEnd(node, Math.min(place + words.length, node.nodeValue?.length ?? 0))
    return range
  }
  return undefined
}

/** Scrolls a message into view, focuses it, and marks the words. Returns true if the words were marked. */
const reveal = (messageId: string, words: string): boolean => {
  const message = document.querySelector<HTMLElement>(`[data-message="${CSS.escape(messageId)}"]`)
  if (message === null) return false
  const range = rangeOf(message, words)
  if (document.activeElement !== message) {
    message.tabIndex = -1
    message.focus({ preventScroll: true })
  }
  const target = range?.startContainer.parentElement ?? message
  target.scrollIntoView({ block: "center" })
  // Browsers without the CSS Highlight API show the message without marks.
  if (range !== undefined && "highlights" in CSS) CSS.highlights.set("found", new Highlight(range))
  return range !== undefined
}

/** Shows the message that the address names, in its branch, and marks the searched words in it. */
export const useFoundMessage = (conversation: Conversation): void => {
  const [address] = useSearchParams()
  const messageId = address.get("message")
  const words = address.get("words") ?? ""
  useEffect(() => {
    if (messageId === null) return
    let frame = 0
    let isLeft = false
    void conversation.reach(messageId).then(() => {
      const until = performance.now() + SHOWN_WITHIN_MS
      // A reply is drawn as plain text until its formatting code is loaded, so the words are looked for in each frame.
      const look = () => {
        if (isLeft || reveal(messageId, words) || performance.now() > until) return
        frame = requestAnimationFrame(look)
      }
      look()
    })
    return () => {
      isLeft = true
      cancelAnimationFrame(frame)
      if ("highlights" in CSS) CSS.highlights.delete("found")
    }
  }, [conversation, messageId, words])
}
