import { type PostedTerm, postedTerm } from "./postedTerm.ts"
import { hashOf, makeWordTable, type WordTable } from "./wordTable.ts"

/** What a word is found by: the numbers of its terms, and of those of the word typed without its accents where they differ. */
interface WordTerms {
  readonly own: ReadonlyArray<number>
  readonly plain: ReadonlyArray<number>
}

/** What is remembered of a language: most words of a text were in the texts before it. */
export interface KnownWords {
  /**
   * What tells a word. Most have one term and none without accents: such a word is told by the number of its term; any other by
   * -1 less its place among the `others`, of which the first has no terms.
   */
  readonly words: WordTable
  readonly others: Array<WordTerms>
  /** Terms by their numbers: one is the same for whoever has it. */
  readonly terms: Array<PostedTerm>
  readonly numbers: Map<string, number>
  /** Of the words and terms in all. */
  characters: number
}

/** What is remembered of a language at most; then it begins anew. */
const REMEMBERED_WORDS = 50_000
const REMEMBERED_CHARACTERS = 2_000_000

/** What tells a word without terms, as a stop word is. */
export const NO_TERMS = -1

export const nothingKnown = (): KnownWords => ({
  words: makeWordTable(),
  others: [{ own: [], plain: [] }],
  terms: [],
  numbers: new Map(),
  characters: 0
})

export const isFull = ({ characters, words }: KnownWords): boolean =>
  words.size() >= REMEMBERED_WORDS || characters >= REMEMBERED_CHARACTERS

/** What tells a word; undefined of one that is not known. */
export const toldOf = ({ words }: KnownWords, word: string): number | undefined =>
  words.find(word, 0, word.length, hashOf(word))

/** Remembers the terms of a word. */
export const learnWord = (
  known: KnownWords,
  word: string,
  { own, plain }: { readonly own: ReadonlyArray<string>; readonly plain: ReadonlyArray<string> }
): void => {
  const { numbers, others, terms, words } = known
  if (toldOf(known, word) !== undefined) return
  const numberOf = (term: string): number => {
    const had = numbers.get(term)
    if (had !== undefined) return had
    const number = terms.push(postedTerm(term)) - 1
    numbers.set(term, number)
    known.characters += term.length
    return number
  }
  const tell = (): number => {
    const [first, ...more] = own
    if (plain.length > 0 || more.length > 0) {
      return -others.push({ own: own.map(numberOf), plain: plain.map(numberOf) })
    }
    return first === undefined ? NO_TERMS : numberOf(first)
  }
  words.add(word, tell())
  known.characters += word.length
}
