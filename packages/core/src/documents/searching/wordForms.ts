import type { SearchLanguage } from "./searchLanguage.ts"

/** Small letters that people without them type as others, and that have no mark to take off. */
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

/** A decomposed text in lower case with the letters in the place of those that no decomposition takes apart. */
export const plainLetters = (text: string): string => text.replace(LETTERS, (letter) => PLAIN_LETTERS[letter] ?? letter)

/** Accents and other marks on letters of Latin, Greek and Cyrillic. */
const MARKS = /[\u0300-\u036f]+/gu
const PLAIN = /^[\0-\x7f]*$/u

/** A term without the marks on its letters, so that "café" is found by "cafe", "złoty" by "zloty", and a text typed without accents by either. */
export const foldedTerm = (term: string): string =>
  PLAIN.test(term) ? term : plainLetters(term.normalize("NFD").replace(MARKS, "")).normalize("NFC")

/** Marks on letters of Latin and Greek, and the one that Russian leaves out at will; those of other letters are no accents. */
const ACCENTS = /(?<!\p{sc=Cyrillic})[\u0300-\u036f]+|(?<=е)\u0308/gu

/** A word as it is typed without accents. */
export const plainWord = (word: string): string =>
  PLAIN.test(word) ? word : plainLetters(word.normalize("NFD").replace(ACCENTS, "")).normalize("NFC")

/** The words that have accents, among words apart by spaces, with how often each occurs. */
export const accentedWords = (words: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  if (PLAIN.test(words)) return found
  for (const word of words.split(" ")) {
    if (!PLAIN.test(word) && plainWord(word) !== word) found.set(word, (found.get(word) ?? 0) + 1)
  }
  return found
}

/**
 * The term under which a passage is found, beside those of its words, by a word that was typed without its accents: the
 * stemmer of a language cuts endings that it knows by their accents ("reparación", "repar") and leaves the plain word as it
 * is ("reparacion"). A query looks each of its terms up this way too, so that a word counts once however either is typed. No
 * word has the mark in front.
 */
export const plainTerm = (stem: string): string => `~${stem}`

/**
 * Endings of nouns, adjectives and the commonest verbs, longest first: light stemming in the sense of Savoy, "Light stemming
 * approaches for the French, Portuguese, German and Hungarian languages" (SAC 2006). A stem has at least three letters.
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

/** The plural endings of English only: the S stemmer of Harman, "How effective is suffixing?" (JASIS 42, 1991), table 2. */
const withoutPlural = (word: string): string => {
  if (/(?<![ea])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?<![aeo])es$/.test(word)) return word.slice(0, -1)
  return /[^us]s$/.test(word) ? word.slice(0, -1) : word
}

/** Returns a word without the commonest ending of its language, for an index that has no stemmer of its own. */
export const lightStem = (word: string, language: SearchLanguage): string => {
  if (language === "en") return withoutPlural(word)
  const ending = ENDINGS[language]?.find((each) => word.endsWith(each) && word.length - each.length >= LEAST)
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/** Two forms of one word begin with the same letters: at least so many, and all of the shorter form but so many. */
const STEM = { least: 4, ending: 2 } as const
/** Shorter words differ by a letter too often. */
const MISTYPED_FROM = 5

/**
 * Whether two words are likely forms of one word, or one of them is the other one mistyped. More generous than the stems by which
 * passages are found, and alike for all languages: a wrong yes only keeps a passage that could have been left out.
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

/** The same letters in another order, or all but one of them. */
const isMistyped = (shorter: string, longer: string): boolean =>
  longer.length >= MISTYPED_FROM && longer.length - shorter.length <= 1 && lettersWithout(longer, shorter) <= 1

/** The number of letters that remain of a word if each letter of another is removed from it once. */
const lettersWithout = (word: string, other: string): number => {
  let left = word
  for (const letter of other) left = left.replace(letter, "")
  return left.length
}
