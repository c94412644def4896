import type { ChatMessage } from "../../models/ChatMessage.ts"
import { storableText } from "../../storage/storableText.ts"

/** The most characters of a title that Parley makes. */
export const TITLE_CHARACTERS = 60
/** The part of a text from which a title is made. */
const TITLE_SOURCE = 1_000
/** A sentence with fewer characters, such as a greeting, says too little: the next one is part of the title. */
const SHORT_SENTENCE = 16

const FENCES = /^ {0,3}(?:```|~~~).*?(?:^ {0,3}(?:```|~~~)[^\n]*$|$(?![\s\S]))/gms
/** Lines of `---`, `===` or `| --- |`. */
const RULES = /^[\s|:=_*-]+$/gm
const LINKS = /!?\[([^[\]]*)\](?:\([^()\n]*\)|\[[^[\]\n]*\])/g
/** The marks with which a line begins: of headings, quotations, lists and tasks. */
const LINE_MARKS = /^(?:\s*(?:#{1,6}|[>|]+|[*+-](?: \[[ xX]\])?|\d{1,3}[.)])(?=\s|$))+/gm
/** Stars alone between blanks and underscores within words are text. */
const EMPHASIS = /(?<!\s)\*+|\*+(?!\s)|\*{2,}|~~+|`+|(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu
const QUOTES = /["“”„«»‹›「」『』]/g

/** A text without the marks of Markdown and without quotation marks, in one line. */
const plain = (text: string): string => {
  const marked = text.replaceAll(FENCES, " ").replaceAll(RULES, "").replaceAll(LINKS, "$1").replaceAll(LINE_MARKS, "")
  const words = marked
    .replaceAll(/[[\]|<>\\]/g, " ")
    .replaceAll(EMPHASIS, "")
    .replaceAll(QUOTES, "")
  // In one line, a mark at the beginning is that of a line again.
  return words.replaceAll(/\s+/g, " ").trim().replace(LINE_MARKS, "").trim()
}

/** The sentences from the beginning that say enough. */
const firstSentence = (words: string): string => {
  for (const { index, 0: end } of words.matchAll(/[.!?…]+(?=\s)|[。！？]+/gu)) {
    const length = index + end.length
    if (length >= SHORT_SENTENCE) return words.slice(0, length)
  }
  return words
}

/** At most so many characters of a text, cut at a word. */
const cut = (words: string): string => {
  const characters = Array.from(words)
  if (characters.length <= TITLE_CHARACTERS) return words
  const most = characters.slice(0, TITLE_CHARACTERS - 1).join("")
  const end = characters[TITLE_CHARACTERS - 1] === " " ? most.length : most.lastIndexOf(" ")
  return `${(end > most.length / 2 ? most.slice(0, end) : most).replace(/[\s,;:–-]+$/u, "")}…`
}

/** A title of a text: clean, and empty if the text has no words. */
export const cleanTitle = (text: string): string =>
  cut(plain(storableText(text).slice(0, TITLE_SOURCE)).replace(/[.。]+$/u, ""))

/** The title of a chat that begins with these messages: the first sentence of the question. */
export const titleOf = (messages: ReadonlyArray<ChatMessage>): string => {
  const asked = messages.find((message) => message.role === "user")?.content ?? ""
  const title = cleanTitle(firstSentence(plain(storableText(asked).trimStart().slice(0, TITLE_SOURCE))))
  return title === "" ? "…" : title
}
