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
