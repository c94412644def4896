import { headingPath } from "../../documents/reading/Heading.ts"
import { FUNCTION_WORDS, LANGUAGES } from "../../documents/searching/functionWords.ts"
import {
  type ReflowedText,
  reflow,
  sourceSpan,
  splitSentences,
  type TextSpan
} from "../../documents/reading/readableText.ts"
import type { Source } from "../store/StoredChat.ts"

/** A source as it is shown to people: its passage reflowed, with the parts that support the reply marked. */
export interface ShownSource extends ReflowedText {
  /** The parts of the shown text that the reply quotes, or that agree with its statements; in order, possibly empty. */
  readonly marks: ReadonlyArray<TextSpan>
  /** The headings above the first mark, or above the beginning of the passage, outermost first. */
  readonly path: ReadonlyArray<string>
}

const CITATION = /\[(\d{1,3}(?:\s?[,;]\s?\d{1,3})*)\]/gu
/** The maximum distance in UTF-16 units between the beginning of a statement and its citation. */
const MAX_STATEMENT = 1_200
const QUOTATION = /“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|"([^"]+)"/gu

/**
 * Returns the statement before each citation of a source in a reply: the text back to the beginning of the paragraph,
 * or to the previous citation.
 */
const statementsOf = (reply: string, number: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let from = 0
  for (const { 0: mark, 1: numbers = "", index } of reply.matchAll(CITATION)) {
    const start = Math.max(from, index - MAX_STATEMENT)
    const before = reply.slice(start, index)
    // Adjacent citations belong to the same statement.
    if (before.trim() !== "") from = index + mark.length
    const said = before.trim() === "" ? reply.slice(Math.max(0, index - MAX_STATEMENT), index) : before
    if (numbers.split(/\D+/u).map(Number).includes(number)) {
      found.push(
        said
          .replaceAll(CITATION, " ")
          .trimEnd()
          .split(/\n\s*\n/u)
          .at(-1) ?? ""
      )
    }
  }
  return found
}

const SAME: Readonly<Record<string, string>> = { "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-" }

interface Folded {
  readonly text: string
  /** For each character of `text`, the offset of the original character. */
  readonly offsets: ReadonlyArray<number>
}

/** Normalizes a text for comparing: lower case, white space as one space, one kind of quotation mark and dash. */
const fold = (text: string): Folded => {
  const offsets: Array<number> = []
  let folded = ""
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    const blank = /\s/u.test(character)
    if (blank && folded.endsWith(" ")) continue
    const small = character.toLowerCase()
    folded += blank ? " " : (SAME[character] ?? (small.length === 1 ? small : character))
    offsets.push(at)
  }
  return { text: folded, offsets }
}

const LEAST_QUOTE = 8

const findQuote = (passage: Folded, quote: string): TextSpan | undefined => {
  const words = fold(quote.replace(/\s*(?:…|\.\.\.)$/u, "").trim()).text
  const at = words.length < LEAST_QUOTE ? -1 : passage.text.indexOf(words)
  return at === -1 ? undefined : { start: passage.offsets[at]!, end: passage.offsets[at + words.length - 1]! + 1 }
}

const COMMON: ReadonlySet<string> = new Set(LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]))
/** Words with the same first five characters count as the same word, because endings differ. */
const BEGINNING = 5
/**
 * A sentence agrees with a statement if it contains at least this share of the statement's words, and at least
 * `LEAST_WORDS`.
 */
const LEAST_SHARE = 0.3
const LEAST_WORDS = 2

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) ?? [])
      .filter((word) => (word.length > 2 || /\p{N}/u.test(word)) && !COMMON.has(word))
      .map((word) => (/\p{N}/u.test(word) ? word : word.slice(0, BEGINNING)))
  )

/** The sentence that has the most words in common with a statement; undefined if no sentence agrees with it. */
const findAgreeing = (shown: string, sentences: ReadonlyArray<TextSpan>, statement: string): TextSpan | undefined => {
  const said = wordsOf(statement)
  let best: TextSpan | undefined
  let most = Math.max(LEAST_WORDS, LEAST_SHARE * said.size) - 1e-9
  for (const sentence of sentences) {
    const words = wordsOf(shown.slice(sentence.start, sentence.end))
    const shared = [...said].filter((word) => words.has(word)).length
    if (shared > most) {
      best = sentence
      most = shared
    }
  }
  return best
}

const marksOf = (shown: string, reply: string, number: number): ReadonlyArray<TextSpan> => {
  const passage = fold(shown)
  const sentences = splitSentences(shown)
  const marks = statementsOf(reply, number).flatMap((statement) => {
    const quotes = [...statement.matchAll(QUOTATION)].flatMap((parts) => {
      const found = findQuote(passage, parts.slice(1).find((part) => part !== undefined) ?? "")
      return found === undefined ? [] : [found]
    })
    if (quotes.length > 0) return quotes
    const last = splitSentences(statement).at(-1)
    const agreeing = last && findAgreeing(shown, sentences, statement.slice(last.start, last.end))
    return agreeing === undefined ? [] : [agreeing]
  })
  return joined(marks)
}

/** Sorts the marks, and joins those that overlap or touch. */
const joined = (marks: ReadonlyArray<TextSpan>): ReadonlyArray<TextSpan> => {
  const found: Array<TextSpan> = []
  for (const mark of marks.toSorted((one, other) => one.start - other.start)) {
    const last = found.at(-1)
    if (last === undefined || mark.start > last.end) found.push(mark)
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, mark.end) }
  }
  return found
}

/**
 * Presents a source beside the reply that cites it: the passage reflowed, with the reply's quotations marked or, if the
 * reply paraphrases, the sentence with the most words in common. `runs` maps the shown text to the passage and, with
 * `source.start` added, to the document's text. Pure.
 */
export const showSource = (
  source: Pick<Source, "number" | "text" | "start" | "headings">,
  reply: string
): ShownSource => {
  const shown = reflow(source.text)
  const marks = marksOf(shown.text, reply, source.number)
  const at = marks[0] === undefined ? 0 : sourceSpan(shown, marks[0]).start
  return { ...shown, marks, path: headingPath(source.headings, source.start + at) }
}
