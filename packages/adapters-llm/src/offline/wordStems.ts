import { FUNCTION_WORDS, type Language } from "@parley/core/adapter"
import { STEMMERS } from "./bundled/stemmers.ts"

/** Languages with compound words: "Jahresprämie" contains "Prämie". */
const COMPOUNDING: ReadonlySet<Language> = new Set(["da", "de", "fi", "nl", "no", "sv"])

const segmenter = new Intl.Segmenter("en", { granularity: "word" })
/** An article or pronoun that lost its vowel before the word. */
const ELISION = /^(?:\p{L}|qu|lorsqu|jusqu|puisqu|un|d?all|dell|nell|sull|quest)['’](?=\p{L})/u

/** The words of a text in small letters, in order, with their elisions and possessive endings off. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  [...segmenter.segment(text.normalize("NFKC").toLowerCase())]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment.replace(ELISION, "").replace(/['’]s?$/u, ""))

/** The stem of a word; the word itself if it contains a digit or its language is unknown. */
export const stemOf = (word: string, language: Language | undefined): string =>
  language === undefined || /\p{N}/u.test(word) ? word : STEMMERS[language](word)

export const isFunctionWord = (word: string, language: Language | undefined): boolean =>
  language !== undefined && FUNCTION_WORDS[language].has(word)

/** The stems of a text without its function words. */
export const stemsOf = (text: string, language: Language | undefined): ReadonlySet<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => !isFunctionWord(word, language))
      .map((word) => stemOf(word, language))
  )

const LEAST_PART = 4
const LEAST_REST = 2

/** True if one stem begins or ends the other, which is a compound in this language. */
export const isPartOf = (part: string, whole: string, language: Language | undefined): boolean =>
  language !== undefined &&
  COMPOUNDING.has(language) &&
  part.length >= LEAST_PART &&
  whole.length >= part.length + LEAST_REST &&
  (whole.startsWith(part) || whole.endsWith(part))
