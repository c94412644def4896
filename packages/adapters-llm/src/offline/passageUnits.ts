import { FUNCTION_WORDS, type Language, languageOf, type QuotedPassage } from "@parley/core/adapter"
import { STEMMERS } from "./bundled/stemmers.ts"
import { reflow, splitSentences, type TextSpan } from "@parley/core/reading"

/** Languages with compound words: "Jahresprämie" contains "Prämie". */
const COMPOUNDING: ReadonlySet<Language> = new Set(["da", "de", "fi", "nl", "no", "sv"])

const segmenter = new Intl.Segmenter("en", { granularity: "word" })
/** An article or pronoun that lost its vowel before the word. */
const ELISION = /^(?:\p{L}|qu|lorsqu|jusqu|puisqu|un|d?all|dell|nell|sull|quest)['’](?=\p{L})/u

/** The words of a text in small letters, in order, with their elisions and possessive endings off. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const { isWordLike, segment } of segmenter.segment(text.normalize("NFKC").toLowerCase())) {
    if (isWordLike === true) words.push(segment.replace(ELISION, "").replace(/['’]s?$/u, ""))
  }
  return words
}

/** The stem of a word; the word itself if it contains a digit or its language is unknown. */
export const stemOf = (word: string, language: Language | undefined): string =>
  language === undefined || /\p{N}/u.test(word) ? word : STEMMERS[language](word)

/** The stems of a text without its function words. */
const stemsOf = (text: string, language: Language | undefined): ReadonlySet<string> => {
  const stems = new Set<string>()
  for (const word of wordsOf(text)) {
    if (language === undefined || !FUNCTION_WORDS[language].has(word)) stems.add(stemOf(word, language))
  }
  return stems
}

const LEAST_PART = 4
const LEAST_REST = 2

/** True if one stem begins or ends the other, which is a compound in this language. */
export const isPartOf = (part: string, whole: string, language: Language | undefined): boolean =>
  language !== undefined &&
  COMPOUNDING.has(language) &&
  part.length >= LEAST_PART &&
  whole.length >= part.length + LEAST_REST &&
  (whole.startsWith(part) || whole.endsWith(part))

/** A unit that can be quoted: a sentence, an item of a list, or a row of a table. */
export interface Unit {
  readonly passage: QuotedPassage
  /** The passage as it is shown, and the place of the unit in it. */
  readonly shown: string
  readonly start: number
  readonly end: number
  /** Place among all units, in the order of the passages and within them. */
  readonly order: number
  /** The paragraph, list or table it is in; a quotation does not reach over its end. */
  readonly block: number
  readonly language: Language | undefined
  readonly stems: ReadonlySet<string>
  /** Stems of the heading, or of the question, that it stands under. */
  readonly heading: ReadonlySet<string>
  /** A heading, which is not quoted alone. */
  readonly isHeading: boolean
}

/** Markdown marks before and after a text. */
const OPENING = /^(?:#{1,6}\s+|[-*+•–·]\s+|>\s*|\*\*|__|\|\s*)*/u
const CLOSING = /(?:\*\*|__|\s*\|)*$/u
const MARKED_HEADING = /^#{1,6}\s|^\*\*[^*]+\*\*$/u
const LONGEST_HEADING = 80
const ITEM = /^[-*+•–·]\s|^\|/u
const ROW = /\t|^\|/u
const NONE: ReadonlySet<string> = new Set()

/** A line that stands alone, is short and ends like no sentence; or one that its author marked as a heading. */
const headsLine = (line: string, next: string | undefined): boolean =>
  MARKED_HEADING.test(line) ||
  (next !== undefined &&
    line.length <= LONGEST_HEADING &&
    !/[.!,;|\t…]|:$/u.test(line.replace(/^[\d.]+\s/u, "")) &&
    !ITEM.test(line) &&
    next.length > line.length)

/** "Limitations." or "Artículo 4." before the sentences of a paragraph. */
const PARAGRAPH_HEAD = /^\p{L}{4,}(?: [\d.]+)?\.$/u

const addUnits = (units: Array<Unit>, passage: QuotedPassage, fileLanguage: Language | undefined): void => {
  const language = languageOf(passage.text) ?? fileLanguage
  const shown = reflow(passage.text).text
  const lines = shown.split("\n")
  let heading = passage.headings.length === 0 ? NONE : stemsOf(passage.headings.join(" "), language)
  let block = 0
  let lineStart = 0

  const add = (span: TextSpan, under: ReadonlySet<string>, isHeading: boolean) => {
    const marked = shown.slice(span.start, span.end)
    const opening = OPENING.exec(marked)?.[0].length ?? 0
    const said = marked.slice(opening).replace(CLOSING, "")
    if (!/[\p{L}\p{N}]/u.test(said)) return
    const start = span.start + opening
    const stems = stemsOf(said, language)
    const end = start + said.length
    const order = units.length
    units.push({ passage, shown, start, end, order, block, language, stems, heading: under, isHeading })
  }

  const addSentences = (line: string) => {
    const spans = splitSentences(line)
    let under = heading
    for (const [index, { start, end }] of spans.entries()) {
      const sentence = line.slice(start, end)
      const heads = index < 2 && index < spans.length - 1 && PARAGRAPH_HEAD.test(sentence)
      if (heads) under = new Set([...under, ...stemsOf(sentence, language)])
      add({ start: lineStart + start, end: lineStart + end }, under, heads)
    }
  }

  for (const [index, line] of lines.entries()) {
    let next = index + 1
    while (lines[next] === "") next += 1
    if (line === "") block += 1
    else if (headsLine(line, lines[next])) {
      block += 1
      heading = stemsOf(line, language)
      add({ start: lineStart, end: lineStart + line.length }, NONE, true)
    } else {
      if (ROW.test(line)) block += 1
      addSentences(line)
    }
    lineStart += line.length + 1
  }
}

/** Returns the quotable units of these passages, in order. */
export const unitsOf = (passages: ReadonlyArray<QuotedPassage>): ReadonlyArray<Unit> => {
  // One language for each file, found from all its passages together, because a single one may be too short to tell.
  const texts = new Map<string, string>()
  for (const { filename, text } of passages) texts.set(filename, `${texts.get(filename) ?? ""} ${text}`)
  const languages = new Map<string, Language | undefined>()
  for (const [filename, text] of texts) languages.set(filename, languageOf(text))
  const units: Array<Unit> = []
  for (const passage of passages) addUnits(units, passage, languages.get(passage.filename))
  return units
}
