import type { ChatMessage } from "./ChatMessage.ts"

/** Longer runs of white space are cut to this many characters: they say nothing, and cost a model nearly nothing. */
const LONGEST_BLANK = 1_000
/** What is kept of a message that no model was given. */
const EXCERPT = 200

const isBlank = (unit: number): boolean =>
  unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || unit === 0x3000

/** Cuts long runs of white space. Linear in the length of the text. */
export const withoutBlanks = (text: string): string => {
  if (text.length <= LONGEST_BLANK) return text
  const kept: Array<string> = []
  let from = 0
  let blanks = 0
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && isBlank(text.charCodeAt(index))) {
      blanks += 1
      continue
    }
    if (blanks > LONGEST_BLANK) {
      kept.push(text.slice(from, index - blanks + LONGEST_BLANK))
      from = index
    }
    blanks = 0
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
