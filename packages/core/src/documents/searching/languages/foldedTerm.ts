import { plainLetters } from "./plainLetters.ts"

/** Accents and other marks on letters of Latin, Greek and Cyrillic. */
const MARKS = /[\u0300-\u036f]+/gu
const PLAIN = /^[\0-\x7f]*$/u

/** A term without the marks on its letters, so that "café" is found by "cafe", "złoty" by "zloty", and a text typed without accents by either. */
export const foldedTerm = (term: string): string =>
  PLAIN.test(term) ? term : plainLetters(term.normalize("NFD").replace(MARKS, "")).normalize("NFC")
