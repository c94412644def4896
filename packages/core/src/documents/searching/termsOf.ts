import { accentedWords, foldedTerm, plainWord } from "./languages/accents.ts"
import { FUNCTION_WORDS } from "./languages/languageOf.ts"
import { lightStem } from "./languages/lightStem.ts"
import { searchableText } from "./searchableText.ts"
import type { SearchLanguage } from "./languages/searchLanguage.ts"

/** Words of English too common to tell passages apart. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being between both but by can could did do " +
    "does doing down during each few for from further had has have having he her here hers him his how i if in into is " +
    "it its just me more most my no nor not now of off on once only or other our out over own s same she should so " +
    "some such t than that the their them then there these they this those through to too under until up very was we " +
    "were what when where which while who whom why will with would you your"
  ).split(" ")
)

/** The words of a language too common to tell passages apart. */
export const stopWordsOf = (language: SearchLanguage): ReadonlySet<string> | undefined =>
  language === "en" ? STOP_WORDS : (FUNCTION_WORDS as Partial<Record<SearchLanguage, ReadonlySet<string>>>)[language]

/** The terms among words apart by spaces, with how often each occurs, in the order of their first occurrence. */
export const termsAmong = (words: string, language: SearchLanguage): ReadonlyMap<string, number> => {
  const stopWords = stopWordsOf(language)
  const terms = new Map<string, number>()
  for (const word of words.split(/\s+/u)) {
    if (word === "" || stopWords?.has(word) === true) continue
    const term = foldedTerm(lightStem(word, language))
    // Of a mark that stands on no letter nothing is left.
    if (term !== "") terms.set(term, (terms.get(term) ?? 0) + 1)
  }
  return terms
}

/** The same of a text of a language, English unless given. */
export const termsOf = (text: string, language: SearchLanguage = "en"): ReadonlyMap<string, number> =>
  termsAmong(searchableText(text), language)

/**
 * Returns the terms that accented words among `words` have if they are typed without accents, if those differ, with how
 * often each occurs.
 */
export const plainTermsAmong = (words: string, language: SearchLanguage): ReadonlyMap<string, number> => {
  const stopWords = stopWordsOf(language)
  const terms = new Map<string, number>()
  for (const [word, occurrences] of accentedWords(words)) {
    const term = foldedTerm(lightStem(plainWord(word), language))
    if (stopWords?.has(word) === true || term === foldedTerm(lightStem(word, language))) continue
    terms.set(term, (terms.get(term) ?? 0) + occurrences)
  }
  return terms
}
