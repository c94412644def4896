/** Returns a generator of numbers from 0 to 1 that depends only on the seed (mulberry32). */
const random = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const seedOf = (text: string): number => {
  let seed = 2166136261
  for (let at = 0; at < text.length; at++) seed = Math.imul(seed ^ text.charCodeAt(at), 16777619)
  return seed
}

/**
 * Returns the vector of a text. It is computed from the text, so that no time of a model is measured. All vectors are
 * slightly similar to each other, like those of models.
 */
export const vectorOf = (text: string, dimensions: number): ReadonlyArray<number> => {
  const next = random(seedOf(text))
  return Array.from({ length: dimensions }, () => Math.fround(next() * 2 - 0.5))
}

const VOCABULARY = Array.from({ length: 8_000 }, (_, word) => `w${word.toString(36)}${"aeiou"[word % 5]}`)

/**
 * Returns words with the frequencies of a language: a few words are in most passages, and most words are in few
 * passages.
 */
const words = (count: number, seed: number): string => {
  const next = random(seed)
  return Array.from({ length: count }, () => VOCABULARY[Math.floor(VOCABULARY.length ** next()) - 1]).join(" ")
}

export interface BenchDocument {
  readonly id: string
  readonly texts: ReadonlyArray<string>
}

export interface CorpusShape {
  readonly documents: number
  readonly passages: number
  /** True for passages of punctuation with the same length, in which an index of words finds nothing. */
  readonly wordless?: boolean
}

const WORDS = 150

/**
 * Returns documents with ascending ids, each with `passages` passages of about 800 characters. The same seed produces
 * the same documents.
 */
export const makeCorpus = (
  { documents, passages, wordless = false }: CorpusShape,
  seed: number
): ReadonlyArray<BenchDocument> =>
  Array.from({ length: documents }, (_, document) => ({
    id: `00000000-0000-4000-8000-${String(document).padStart(12, "0")}`,
    texts: Array.from({ length: passages }, (__, passage) => {
      const number = seed * 1_000_003 + document * 1_009 + passage
      const text = words(WORDS, number)
      return wordless
        ? `${number.toString(2).replaceAll("0", ". ").replaceAll("1", "! ")}${"- ".repeat(text.length / 2)}`
        : text
    })
  }))

const cosine = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  let product = 0
  let squares = 0
  let others = 0
  for (const [place, value] of one.entries()) {
    const against = other[place] ?? 0
    product += value * against
    squares += value * value
    others += against * against
  }
  return product / Math.sqrt(squares * others)
}

/** Returns the texts that are nearest to a query among documents, by comparing all passages. */
export const exactNearest = (
  documents: ReadonlyArray<BenchDocument>,
  query: string,
  { dimensions, limit }: { readonly dimensions: number; readonly limit: number }
): ReadonlyArray<string> => {
  const asked = vectorOf(query, dimensions)
  return documents
    .flatMap(({ texts }) => texts)
    .map((text) => ({ text, similarity: cosine(asked, vectorOf(text, dimensions)) }))
    .toSorted((one, other) => other.similarity - one.similarity)
    .slice(0, limit)
    .map(({ text }) => text)
}
