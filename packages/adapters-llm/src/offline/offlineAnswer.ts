import { type ChatMessage, type QuotedPassage, readPassages } from "@parley/core/adapter"

const MAX_QUOTES = 3
const MAX_QUOTE_LENGTH = 400
const MAX_ECHO_LENGTH = 120

const words = new Intl.Segmenter(undefined, { granularity: "word" })
const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" })

/** Words too common to tell one sentence from another. */
const COMMON = new Set(
  (
    "a about all an and any are as at be by can could did do does for from had has have how i if in into is it its me my no not of on or " +
    "our please she should so some tell than that the their them then there these they this to was we were what when where which who " +
    "why will with would you your"
  ).split(" ")
)

/** Close forms of an English word count as one: "charges", "charged" and "charge". */
const stem = (word: string): string =>
  word.length > 4 ? word.replace(/(?:ies|es|ed|ing|s)$/, "").replace(/e$/, "") : word.replace(/s$/, "")

const stemsOf = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { segment, isWordLike } of words.segment(text.toLowerCase())) {
    if (isWordLike === true && !COMMON.has(segment)) found.add(stem(segment))
  }
  return found
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** At most `length` UTF-16 units, cut between words where there are any, never within a character. */
const shorten = (text: string, length: number): string => {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  const space = cut.lastIndexOf(" ")
  return `${(space > length / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, "")).trimEnd()} …`
}

interface Candidate {
  readonly passage: QuotedPassage
  readonly order: number
  readonly text: string
  /** The sentence after it in the same passage. */
  readonly next: string | undefined
  readonly stems: ReadonlySet<string>
}

const sentencesOf = (text: string): ReadonlyArray<string> =>
  [...sentences.segment(oneLine(text))].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== "")

const candidatesOf = (passages: ReadonlyArray<QuotedPassage>): ReadonlyArray<Candidate> =>
  passages
    .flatMap((passage) =>
      sentencesOf(passage.text).map((text, index, all) => ({
        passage,
        text,
        next: all[index + 1],
        stems: stemsOf(text)
      }))
    )
    .map((candidate, order) => ({ ...candidate, order }))

/** The sentences that share most with the question, a word counting the more the fewer sentences have it. */
const bestSentences = (question: string, passages: ReadonlyArray<QuotedPassage>): ReadonlyArray<Candidate> => {
  const candidates = candidatesOf(passages)
  const asked = [...stemsOf(question)].map((word) => ({
    word,
    weight: 1 / Math.max(1, candidates.filter(({ stems }) => stems.has(word)).length)
  }))
  const scored = candidates
    .map((candidate) => ({
      candidate,
      score: asked.reduce((sum, { word, weight }) => (candidate.stems.has(word) ? sum + weight : sum), 0)
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.candidate.order - b.candidate.order)
  const threshold = (scored[0]?.score ?? 0) / 2
  return scored
    .filter(({ score }) => score >= threshold)
    .slice(0, MAX_QUOTES)
    .map(({ candidate }) => candidate)
    .toSorted((a, b) => a.order - b.order)
}

const REAL_MODEL = "set OPENAI_API_KEY or ANTHROPIC_API_KEY on the server and start it again"

const withoutPassages = (question: string): string =>
  `This is the offline stand-in model. It has no knowledge of its own and cannot answer “${shorten(oneLine(question), MAX_ECHO_LENGTH)}”. ` +
  `Upload a document and ask about it, and I quote the sentences that match; for real answers, ${REAL_MODEL}.`

const withoutMatch = (question: string): string =>
  `The passages of your documents that I was given do not mention what you ask: “${shorten(oneLine(question), MAX_ECHO_LENGTH)}”. ` +
  `I am the offline stand-in model and only match words; for real answers, ${REAL_MODEL}.`

/** A sentence often needs the one after it, where that is not quoted anyway. */
const quotation = ({ next, order, passage, text }: Candidate, best: ReadonlyArray<Candidate>): string => {
  const takesNext = next !== undefined && !best.some((other) => other.order === order + 1)
  const whole = takesNext && text.length + next.length < MAX_QUOTE_LENGTH ? `${text} ${next}` : text
  return `“${shorten(whole, MAX_QUOTE_LENGTH)}” [${passage.number}]`
}

const withQuotes = (best: ReadonlyArray<Candidate>): string =>
  [
    "Your documents say:",
    ...best.map((candidate) => quotation(candidate, best)),
    `(I am the offline stand-in model: I quote the sentences that match your words. For real answers, ${REAL_MODEL}.)`
  ].join("\n\n")

/** The newest thing the user said. */
export const questionOf = (messages: ReadonlyArray<ChatMessage>): string =>
  messages.findLast((message) => message.role === "user" && readPassages(message.content) === undefined)?.content ?? ""

/**
 * What the offline model says to these messages: the sentences of the quoted passages that match the newest question,
 * each in quotation marks with the passage's number; or plainly that it cannot answer. The same for the same messages.
 */
export const offlineAnswer = (messages: ReadonlyArray<ChatMessage>): string => {
  const question = questionOf(messages)
  const passages = messages.findLast((message) => readPassages(message.content) !== undefined)
  if (passages === undefined) return withoutPassages(question)
  const best = bestSentences(question, readPassages(passages.content) ?? [])
  return best.length === 0 ? withoutMatch(question) : withQuotes(best)
}
