/** Accents and other marks on letters of Latin, Greek and Cyrillic. */
const MARKS = /[\u0300-\u036f]+/gu
const PLAIN = /^[\0-\x7f]*$/u

/** A term without the marks on its letters, so that "café" is found by "cafe", and a text typed without accents by either. */
export const foldedTerm = (term: string): string =>
  PLAIN.test(term) ? term : term.normalize("NFD").replace(MARKS, "").normalize("NFC")
