import type { Passage } from "../Document.ts"
import { FUNCTION_WORDS, WORDS_WITHOUT_SPACES } from "./functionWords.ts"
import { type SearchLanguage, searchLanguageOf, stemLanguageOf } from "./searchLanguage.ts"

/** The maximum length of a query in UTF-16 units; the rest is ignored. */
export const MAX_QUERY_LENGTH = 10_000

const WITHOUT_SPACES =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}"
const RUN = new RegExp(`[${WITHOUT_SPACES}][${WITHOUT_SPACES}\\p{M}ー]*`, "gu")
/** Matches a word that is divided at the end of a line; bounded, so that the matching stays linear. */
const PARTED = /(\p{L}{1,40})[-\u00ad\u2010]\n(\p{Ll}{1,40})/gu
/** Marks of Arabic that are optional; below: letters with several written forms, and prefixes of words. */
const ARABIC_MARKS = /[\u0640\u064b-\u0655\u0670]+/gu
const ARABIC_ALEF = /[\u0622\u0623\u0625\u0671]/gu
const ARABIC_PREFIX = /(?<![\p{L}\p{M}])(?:وال|بال|كال|فال|ال|لل)(?=\p{sc=Arabic}{3})/gu
/**
 * The plural ending of Arabic words. It is removed here, because the database's stemmer recognises it only after the
 * article.
 */
const ARABIC_PLURAL = /(?<=\p{sc=Arabic}{3})\u0627\u062a(?![\p{L}\p{M}])/gu
const ARABIC = /\p{sc=Arabic}/u
/** Spanish "-ación" and Portuguese "-ação" and "-ações" typed without accents, at the end of longer words. */
const TYPED_ACION = /(?<=[a-z]{2})acion(?![^ ])/gu
const TYPED_ACAO = /(?<=[a-z]{2})ac(?:a(o)|oes)(?![^ ])/gu
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u
const HIRAGANA = /^\p{sc=Hiragana}$/u
const HANGUL = /\p{sc=Hangul}/u
const HAN = /\p{sc=Han}/u
const NOT_WORDS = /[^\p{L}\p{N}\p{M}]+/gu

/**
 * Returns a text as words separated by spaces, ready for any tokenizer: compatibility forms folded (NFKC), in lower
 * case, without punctuation. Scripts written without spaces, and Hangul with its particles, become single characters
 * and pairs of neighbours, so that a word is found within a longer run. A word that is hyphenated at the end of a line
 * is added in its parts and as a whole, because the text does not show whether the hyphen belongs to it; soft hyphens
 * within words are removed. Arabic words lose vowel signs, the article and a plural ending. Passages and queries are
 * treated in the same way; the stored and shown text is the original. The result is well-formed and free of NUL for any
 * input.
 */
export const searchableText = (text: string): string => {
  const whole = text.normalize("NFKC").replace(PARTED, "$1 $2 $1$2").replaceAll("\u00ad", "")
  const words = whole.toLowerCase().replace(NOT_WORDS, " ")
  return (ARABIC.test(words) ? plainArabic(words) : words).replace(RUN, charactersAndPairs).trim()
}

/**
 * Removes Arabic prefixes after Larkey, Ballesteros and Connell, "Light stemming for Arabic information retrieval"
 * (2007), and the marks and the ending above.
 */
const plainArabic = (text: string): string =>
  text
    .replace(ARABIC_MARKS, "")
    .replace(ARABIC_ALEF, "ا")
    .replaceAll("ى", "ي")
    .replace(ARABIC_PREFIX, "")
    .replace(ARABIC_PLURAL, "")

/** Adds the accents to a query word whose ending requires them. */
const withAccents = (word: string): string =>
  word.replace(TYPED_ACION, "ación").replace(TYPED_ACAO, (_, one?: string) => (one === undefined ? "ações" : "ação"))

const queryWords = (query: string): ReadonlyArray<string> =>
  searchableText(query.slice(0, MAX_QUERY_LENGTH)).split(" ").map(withAccents)

/**
 * Returns a function that is true for the function words of a text in a script without spaces, in the form in which
 * `searchableText` cuts words.
 */
const functionWordsWithoutSpaces = (text: string): ((word: string) => boolean) => {
  if (KANA.test(text)) return (word) => HIRAGANA.test(word) || WORDS_WITHOUT_SPACES.ja.has(word)
  const its = HANGUL.test(text) ? WORDS_WITHOUT_SPACES.ko : HAN.test(text) ? WORDS_WITHOUT_SPACES.zh : undefined
  return (word) => its?.has(word) === true
}

/**
 * Returns the words of a query, in the form of `searchableQuery`, without the stop words of its language; possibly
 * none.
 */
export const tellingWords = (query: string): ReadonlyArray<string> => {
  const searched = query.slice(0, MAX_QUERY_LENGTH)
  const stopWords = stopWordsOf(searchLanguageOf(searched))
  const isFunctionWord = functionWordsWithoutSpaces(searched)
  return queryWords(query).filter((word) => word !== "" && stopWords?.has(word) !== true && !isFunctionWord(word))
}

/**
 * Returns the `searchableText` of a query, cut to the maximum length. Endings that stemmers recognise only by their
 * accents, and that no other language has, get these accents if they were typed without: "reparacion" is searched as
 * "reparación", which has the same stem as "reparaciones". Passages with the word as it was typed are found as for any
 * accented word (`plainTerm`).
 *
 * The stop words of the query's language are left out, unless the query has no other words: in documents of another
 * language they would count as rare words.
 */
export const searchableQuery = (query: string): string => {
  const telling = tellingWords(query)
  return (telling.length === 0 ? queryWords(query) : telling).join(" ")
}

const charactersAndPairs = (run: string): string => {
  const characters = Array.from(run)
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
  return ` ${[...characters, ...pairs].join(" ")} `
}

/**
 * Returns the words by which a passage is found: its own words, and in addition those of the headings above and in it.
 * A heading names the subject of the text below it in few words, which most passages do not repeat.
 */
export const passageWords = ({ headings = [], text }: Pick<Passage, "headings" | "text">): string =>
  [...headings.map(({ title }) => title), text]
    .map(searchableText)
    .filter((words) => words !== "")
    .join(" ")

/** English words that are too common to distinguish passages. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being between both but by can could did do " +
    "does doing down during each few for from further had has have having he her here hers him his how i if in into is " +
    "it its just me more most my no nor not now of off on once only or other our out over own s same she should so " +
    "some such t than that the their them then there these they this those through to too under until up very was we " +
    "were what when where which while who whom why will with would you your"
  ).split(" ")
)

/** Returns the words of a language that are too common to distinguish passages. */
export const stopWordsOf = (language: SearchLanguage): ReadonlySet<string> | undefined =>
  stemLanguageOf(language) === "en"
    ? STOP_WORDS
    : (FUNCTION_WORDS as Partial<Record<SearchLanguage, ReadonlySet<string>>>)[language]

/**
 * Returns the terms of words separated by spaces, with the number of occurrences of each, in the order of their first
 * occurrence.
 */
export const termsAmong = (words: string, language: SearchLanguage): ReadonlyMap<string, number> => {
  const stopWords = stopWordsOf(language)
  const terms = new Map<string, number>()
  for (const word of words.split(/\s+/u)) {
    if (word === "" || stopWords?.has(word) === true) continue
    const term = foldedTerm(lightStem(word, language))
    // The term is empty if the word consists only of marks without a letter.
    if (term !== "") terms.set(term, (terms.get(term) ?? 0) + 1)
  }
  return terms
}

/** Returns the terms of a text in a language, English unless given. */
export const termsOf = (text: string, language: SearchLanguage = "en"): ReadonlyMap<string, number> =>
  termsAmong(searchableText(text), language)

/**
 * Returns the terms of accented words among `words` as if they were typed without accents, if these differ, with the
 * number of occurrences of each.
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

/**
 * Lower-case letters that are replaced by other letters on keyboards without them, and from which no mark can be
 * removed.
 */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ł: "l",
  ı: "i"
}

const LETTERS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join("")}]`, "gu")

/** Replaces the letters that no decomposition separates from their marks; `text` is decomposed and in lower case. */
export const plainLetters = (text: string): string => text.replace(LETTERS, (letter) => PLAIN_LETTERS[letter] ?? letter)

/** Accents and other marks on letters of Latin, Greek and Cyrillic. */
const MARKS = /[\u0300-\u036f]+/gu
const PLAIN = /^[\0-\x7f]*$/u

/**
 * Returns a term without the marks on its letters, so that "cafe" finds "café", "zloty" finds "złoty", and either
 * spelling finds a text that was typed without accents.
 */
export const foldedTerm = (term: string): string =>
  PLAIN.test(term) ? term : plainLetters(term.normalize("NFD").replace(MARKS, "")).normalize("NFC")

/**
 * Marks on letters of Latin and Greek, and the mark that is optional in Russian; marks on letters of other scripts are
 * not accents.
 */
const ACCENTS = /(?<!\p{sc=Cyrillic})[\u0300-\u036f]+|(?<=е)\u0308/gu

/** Returns a word as it is typed without accents. */
export const plainWord = (word: string): string =>
  PLAIN.test(word) ? word : plainLetters(word.normalize("NFD").replace(ACCENTS, "")).normalize("NFC")

/** Returns the accented words among words separated by spaces, with the number of occurrences of each. */
export const accentedWords = (words: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  if (PLAIN.test(words)) return found
  for (const word of words.split(" ")) {
    if (!PLAIN.test(word) && plainWord(word) !== word) found.set(word, (found.get(word) ?? 0) + 1)
  }
  return found
}

/**
 * Returns the additional term by which a passage is found if a word was typed without its accents. It is needed because
 * a stemmer removes endings that it recognises by their accents ("reparación" becomes "repar") and leaves the plain
 * word as it is ("reparacion"). A query looks up each of its terms in this form too, so that a word counts once in
 * either spelling. No word begins with the mark `~`.
 */
export const plainTerm = (stem: string): string => `~${stem}`

/**
 * The endings of nouns, adjectives and the most common verbs, longest first: light stemming after Savoy, "Light
 * stemming approaches for the French, Portuguese, German and Hungarian languages" (SAC 2006). A stem has at least three
 * letters.
 */
const ENDINGS: Readonly<Partial<Record<SearchLanguage, ReadonlyArray<string>>>> = {
  ar: "يات ات ون ين ان ها ية ة ه ي".split(" "),
  da: "ernes erne ene ers er en et es e s".split(" "),
  de: "ungen ung ern en es e s n".split(" "),
  es: "aciones ación es os as o a e".split(" "),
  fi: "issa issä ista istä ssa ssä sta stä lle lla llä lta ltä jen ien sen ten set sia ia iä in et on en an än at ät n t a ä o s".split(
    " "
  ),
  fr: "ations ation aux es er és ée al e s x".split(" "),
  it: "azioni azione i e o a".split(" "),
  nl: "heden en er e s".split(" "),
  no: "ene ers er en et es e s".split(" "),
  pt: "ações ação es os as o a s".split(" "),
  ru: "иями ями ами ого ему ыми ими ах ях ов ев ей ой ый ий ая ое ые ом ем ам ям ы и а я у ю о е ь".split(" "),
  sv: "arna erna orna or ar er en et na a e n s t".split(" "),
  tr: "lerinde larında lerin ların lerde larda ler lar nin nın nun nün in ın de da i ı".split(" ")
}

const LEAST = 3

/**
 * Removes only English plural endings: the S stemmer of Harman, "How effective is suffixing?" (JASIS 42, 1991), table
 * 2.
 */
const withoutPlural = (word: string): string => {
  if (/(?<![ea])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?<![aeo])es$/.test(word)) return word.slice(0, -1)
  return /[^us]s$/.test(word) ? word.slice(0, -1) : word
}

/** Returns a word without the most common ending of its language, for an index that has no stemmer of its own. */
export const lightStem = (word: string, language: SearchLanguage): string => {
  if (stemLanguageOf(language) === "en") return withoutPlural(word)
  const ending = ENDINGS[language]?.find((each) => word.endsWith(each) && word.length - each.length >= LEAST)
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/**
 * Two words count as forms of the same word if they begin with at least `least` equal letters, and with all but
 * `ending` letters of the shorter word.
 */
const STEM = { least: 4, ending: 2 } as const
/** The minimum length of words compared for typing errors: different shorter words too often differ by one letter. */
const MISTYPED_FROM = 5

/**
 * Returns true if two words are probably forms of the same word, or one is the other with a typing error. Less strict
 * than the stems by which passages are found, and the same for all languages: an error only keeps a passage that could
 * have been left out.
 */
export const isAlike = (one: string, other: string): boolean => {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one]
  return isForm(shorter, longer) || isMistyped(shorter, longer)
}

const isForm = (shorter: string, longer: string): boolean => {
  let alike = 0
  while (alike < shorter.length && shorter[alike] === longer[alike]) alike++
  const least = Math.max(Math.min(STEM.least, shorter.length), shorter.length - STEM.ending)
  return shorter.length >= 3 && alike >= least && longer.length <= 2 * shorter.length
}

/** Returns true if the words have the same letters in another order, or all but one of them. */
const isMistyped = (shorter: string, longer: string): boolean =>
  longer.length >= MISTYPED_FROM && longer.length - shorter.length <= 1 && lettersWithout(longer, shorter) <= 1

/** Returns the number of letters of `word` that remain if each letter of `other` is removed from it once. */
const lettersWithout = (word: string, other: string): number => {
  let left = word
  for (const letter of other) left = left.replace(letter, "")
  return left.length
}
