import type { Passage } from "../Document.ts"
import { accentedWords, foldedTerm, lightStem, plainWord } from "./wordForms.ts"
import { FUNCTION_WORDS } from "./languageOf.ts"
import type { SearchLanguage } from "./searchLanguage.ts"

/** The longest query that is searched for, in UTF-16 units; the rest is ignored. */
export const MAX_QUERY_LENGTH = 10_000

const WITHOUT_SPACES =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}"
const RUN = new RegExp(`[${WITHOUT_SPACES}][${WITHOUT_SPACES}\\p{M}ー]*`, "gu")
/** A word that a line's end parts; bounded, so that the search for it stays linear. */
const PARTED = /(\p{L}{1,40})[-\u00ad\u2010]\n(\p{Ll}{1,40})/gu
/** Marks of Arabic that are written or left out at will, letters written in more than one way, and what is put before words. */
const ARABIC_MARKS = /[\u0640\u064b-\u0655\u0670]+/gu
const ARABIC_ALEF = /[\u0622\u0623\u0625\u0671]/gu
const ARABIC_PREFIX = /(?<![\p{L}\p{M}])(?:وال|بال|كال|فال|ال|لل)(?=\p{sc=Arabic}{3})/gu
/** The plural of words that end otherwise alone: the database's stemmer knows it behind the article only. */
const ARABIC_PLURAL = /(?<=\p{sc=Arabic}{3})\u0627\u062a(?![\p{L}\p{M}])/gu
const ARABIC = /\p{sc=Arabic}/u
/** Spanish "-ación" and Portuguese "-ação" and "-ações" without accents, at the end of longer words. */
const TYPED_ACION = /(?<=[a-z]{2})acion(?![^ ])/gu
const TYPED_ACAO = /(?<=[a-z]{2})ac(?:a(o)|oes)(?![^ ])/gu
const NOT_WORDS = /[^\p{L}\p{N}\p{M}]+/gu

/**
 * A text as words apart from each other by spaces, ready for any splitter of words: compatibility forms folded (NFKC), in
 * lower case, punctuation gone. Scripts written without spaces, and Hangul with its particles, become single characters
 * and pairs of neighbours, so that a word is found inside a longer run. A word hyphenated at a line's end counts in its
 * parts and whole, as the text does not say whether the hyphen belongs to it; soft hyphens inside words vanish. Arabic
 * words lose vowel signs, the article and an ending of the plural. Passages and queries go through it alike; what is stored and shown is the text
 * itself. Well formed, free of NUL, whatever comes in.
 */
export const searchableText = (text: string): string =>
  plainArabic(
    text.normalize("NFKC").replace(PARTED, "$1 $2 $1$2").replaceAll("\u00ad", "").toLowerCase().replace(NOT_WORDS, " ")
  )
    .replace(RUN, charactersAndPairs)
    .trim()

/** After Larkey, Ballesteros and Connell, "Light stemming for Arabic information retrieval" (2007), as far as prefixes go. */
const plainArabic = (text: string): string =>
  ARABIC.test(text)
    ? text
        .replace(ARABIC_MARKS, "")
        .replace(ARABIC_ALEF, "ا")
        .replaceAll("ى", "ي")
        .replace(ARABIC_PREFIX, "")
        .replace(ARABIC_PLURAL, "")
    : text

/**
 * `searchableText` of a query, cut to the longest that is searched for. Endings that stemmers know by their accents alone, and
 * that no other language has, get them where they were typed without: "reparacion" is asked as "reparación", whose stem is that
 * of "reparaciones", too. The word as it was typed is found as that of any accented word is (`plainTerm`).
 */
export const searchableQuery = (query: string): string =>
  searchableText(query.slice(0, MAX_QUERY_LENGTH))
    .replace(TYPED_ACION, "ación")
    .replace(TYPED_ACAO, (_, one?: string) => (one === undefined ? "ações" : "ação"))

const charactersAndPairs = (run: string): string => {
  const characters = Array.from(run)
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
  return ` ${[...characters, ...pairs].join(" ")} `
}

/**
 * Returns the words that find a passage: its own, and once more those of the headings above and in it. A heading says
 * in few words what the text under it is about, and most passages do not repeat it.
 */
export const passageWords = ({ headings = [], text }: Pick<Passage, "headings" | "text">): string =>
  [...headings.map(({ title }) => title), text]
    .map(searchableText)
    .filter((words) => words !== "")
    .join(" ")

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
