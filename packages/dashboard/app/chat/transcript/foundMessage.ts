import { useEffect } from "react"
import { useSearchParams } from "react-router"
import type { ChatSummary } from "../../api/chats.ts"
import type { Conversation } from "../Conversation.ts"

/** The longest time until a message and its words stand on the page, in milliseconds. */
const SHOWN_WITHIN_MS = 3_000

/** The address of a chat of a list: of the message in which a search found the words, if it found them in one. */
export const addressOf = ({ found, id }: ChatSummary, words: string): string =>
  found === undefined
    ? `/chats/${id}`
    : `/chats/${id}?${new URLSearchParams({ message: found.messageId, words }).toString()}`

/** The place of the words in the texts of an element, in any case; undefined if formatting stands between them. */
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

/** Brings a message into view, with the focus on it, and marks the words. Returns true once the words are marked. */
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
  // Browsers without this interface show the message alone.
  if (range !== undefined && "highlights" in CSS) CSS.highlights.set("found", new Highlight(range))
  return range !== undefined
}

/** Shows the message that the address names, in its branch, and marks the words that a search found in it. */
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
      // A reply is drawn as text first, until the code that formats it is loaded.
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
