import type { ChatMessage } from "../../models/ChatMessage.ts"
import { tellingWords } from "../../documents/searching/searchTerms.ts"

/** A question with more content words than this is understood without the one before it. */
const SHORT_WORDS = 6
/** The same for languages without spaces, in UTF-16 units. */
const SHORT_LENGTH = 16
/** The used part of an earlier question, in UTF-16 units. */
const EARLIER_LENGTH = 500
/** The most earlier questions that a question is searched with. */
const MOST_EARLIER = 3

const isShort = (question: string): boolean =>
  question.trim().length <= SHORT_LENGTH || new Set(tellingWords(question)).size <= SHORT_WORDS

/**
 * Returns the texts to search for the newest question of a conversation, oldest message first: the question, and if it
 * is short ("And in 2023?") also the questions that it may continue together with it, newest first. These go back until
 * one is understood alone.
 */
export const searchedQuestions = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<string> => {
  const questions = messages.filter(({ role }) => role === "user").map(({ content }) => content)
  const newest = questions.at(-1) ?? ""
  const together: Array<string> = []
  for (let place = questions.length - 1; place >= 0 && together.length <= MOST_EARLIER; place--) {
    const question = questions[place] ?? ""
    together.push(together.length === 0 ? question : question.slice(0, EARLIER_LENGTH).toWellFormed())
    if (!isShort(question)) break
  }
  return together.length < 2 ? [newest] : [newest, together.join("\n")]
}
