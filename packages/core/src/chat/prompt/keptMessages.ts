import type { ChatMessage } from "../../models/ChatMessage.ts"

/** Longer runs of white space are cut to this many characters: they say nothing, and cost a model nearly nothing. */
const LONGEST_BLANK = 1_000
/** What is kept of a message that no model was given. */
const EXCERPT = 200

const isBlank = (unit: number): boolean =>
  unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || unit === 0x3000

/**
 * Cuts long runs of white space. Such a run covers one of every thousand characters: only these are looked at, and what
 * is around those that are blank, so that a megabyte takes next to nothing. Linear in the length of the text.
 */
export const withoutBlanks = (text: string): string => {
  const kept: Array<string> = []
  let from = 0
  // Where the last run that was looked at ends: nothing before is looked at again.
  let seen = 0
  for (let at = LONGEST_BLANK; at < text.length; at = Math.max(at, seen) + LONGEST_BLANK) {
    if (!isBlank(text.charCodeAt(at))) continue
    let start = at
    while (start > seen && isBlank(text.charCodeAt(start - 1))) start -= 1
    seen = at
    while (seen < text.length && isBlank(text.charCodeAt(seen))) seen += 1
    if (seen - start <= LONGEST_BLANK) continue
    kept.push(text.slice(from, start + LONGEST_BLANK))
    from = seen
  }
  return kept.length === 0 ? text : kept.join("") + text.slice(from)
}

const excerptOf = (message: ChatMessage): ChatMessage =>
  message.content.length <= EXCERPT
    ? message
    : { ...message, content: `${message.content.slice(0, EXCERPT - 1).toWellFormed()}…` }

/** What is stored of new messages: those the model is given whole, and of those that did not fit their beginning. */
export const keptMessages = (
  added: ReadonlyArray<ChatMessage>,
  given: ReadonlyArray<ChatMessage>
): ReadonlyArray<ChatMessage> => {
  const read = new Set(given)
  return added.map((message) => (read.has(message) ? message : excerptOf(message)))
}
