/** The position at which a search found its words in a message. */
export interface FoundWords {
  readonly messageId: string
  /** A part of the message, in one line. */
  readonly excerpt: string
  /** The position of the words in the excerpt, in UTF-16 units. */
  readonly start: number
  readonly end: number
}

/** The maximum number of characters of an excerpt before the words; `BEHIND` is that after them. */
const BEFORE = 40
const BEHIND = 120

/** Found words, and the text around them: longer than an excerpt, or the whole message. */
export interface WordsInText {
  readonly messageId: string
  readonly before: string
  readonly words: string
  readonly behind: string
}

/** The number of characters that a store returns before and after found words. */
export const AROUND_WORDS = 200

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ")

/** An excerpt that begins and ends with whole words. */
export const foundWordsOf = ({ before, behind, messageId, words }: WordsInText): FoundWords => {
  const earlier = Array.from(oneLine(before).trimStart())
  const later = Array.from(oneLine(behind).trimEnd())
  const first = earlier.slice(-BEFORE).join("")
  const last = later.slice(0, BEHIND).join("")
  const start = earlier.length <= BEFORE ? first : `…${first.replace(/^\S*\s/, "")}`
  const end = later.length <= BEHIND ? last : `${last.replace(/\s\S*$/, "")}…`
  const found = oneLine(words)
  return { messageId, excerpt: start + found + end, start: start.length, end: start.length + found.length }
}
