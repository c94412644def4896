import type { ChatMessage } from "@parley/core"
import { readPassages } from "@parley/core/adapter"
import { bestQuotes, type Quote, shorten } from "./bestQuotes.ts"
import { questionOf } from "./questionOf.ts"

const MAX_ECHO_LENGTH = 120

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

const REAL_MODEL = "set OPENAI_API_KEY or ANTHROPIC_API_KEY on the server and start it again"

const withoutPassages = (question: string): string =>
  `This is the offline stand-in model. It has no knowledge of its own and cannot answer “${shorten(oneLine(question), MAX_ECHO_LENGTH)}”. ` +
  `Upload a document and ask about it, and I quote the sentences that match; for real answers, ${REAL_MODEL}.`

const withoutMatch = (question: string): string =>
  `The passages of your documents that I was given do not mention what you ask: “${shorten(oneLine(question), MAX_ECHO_LENGTH)}”. ` +
  `I am the offline stand-in model and only match words; for real answers, ${REAL_MODEL}.`

const withQuotes = (quotes: ReadonlyArray<Quote>): string =>
  [
    "Your documents say:",
    ...quotes.map(({ number, text }) => `“${text}” [${number}]`),
    `(I am the offline stand-in model: I quote the sentences that match your words. For real answers, ${REAL_MODEL}.)`
  ].join("\n\n")

/**
 * Returns the offline model's answer: the sentences of the quoted passages that match the newest question, each in
 * quotation marks with the passage's number; or a sentence that it cannot answer. The same messages produce the same
 * answer.
 */
export const offlineAnswer = (messages: ReadonlyArray<ChatMessage>): string => {
  const question = questionOf(messages)
  const passages = messages.findLast((message) => readPassages(message.content) !== undefined)
  if (passages === undefined) return withoutPassages(question)
  const quotes = bestQuotes(question, readPassages(passages.content) ?? [])
  return quotes.length === 0 ? withoutMatch(question) : withQuotes(quotes)
}
