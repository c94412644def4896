import { Database } from "@parley/adapters-db"
import { Effect } from "effect"
import type { Collection, CollectionDocument } from "./collection.ts"
import { meanOf, ndcgAt } from "./measures.ts"

/** The usual parameters of BM25: K1 for the saturation of repeated terms, and B for the penalty of long documents. */
const K1 = 1.2
const B = 0.75

/** The stop words of Lucene's analyser of English. */
const STOP_WORDS = new Set(
  (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to " +
    "was will with"
  ).split(" ")
)

const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー])[\p{L}\p{M}\p{N}])+/gu
const CJK = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]/u

const pairsOf = (run: string): ReadonlyArray<string> => {
  const characters = Array.from(run)
  return characters.length === 1 ? characters : characters.slice(1).map((each, place) => `${characters[place]}${each}`)
}

/**
 * Returns the words of a text in lower case without stop words. Runs of Chinese and Japanese characters become pairs of
 * neighbours, as in Lucene's analyser.
 */
const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.normalize("NFKC").toLowerCase().match(WORD) ?? [])
    .flatMap((word) => (CJK.test(word) ? pairsOf(word) : [word]))
    .filter((word) => !STOP_WORDS.has(word))

/** Returns the stems of words according to a dictionary of Postgres. */
const stemsOf = Effect.fnUntraced(function* (words: ReadonlySet<string>, stemmer: string) {
  const database = yield* Database
  const rows = yield* database.statement(
    "SELECT word, coalesce((ts_lexize($2::regdictionary, word))[1], word) AS stem FROM unnest($1::text[]) AS words (word)",
    [[...words], `${stemmer}_stem`]
  )
  return new Map(rows.map(({ stem, word }) => [String(word), String(stem)]))
})

const countsOf = (terms: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

const plainText = ({ text, title }: CollectionDocument) => (title === undefined ? text : `${title}\n${text}`)

/**
 * Returns the nDCG@10 of the BM25 that every search engine has (Lucene's form), over whole documents: title and text
 * are one field, one stemmer of Postgres stems the words of all languages, and nothing is tuned.
 */
export const measurePlainBm25 = Effect.fnUntraced(function* (collection: Collection, stemmer: string) {
  const texts = [...collection.documents.map(plainText), ...collection.queries.map(({ text }) => text)].map(wordsOf)
  const stems = yield* stemsOf(new Set(texts.flat()), stemmer)
  const terms = texts.map((words) => words.map((word) => stems.get(word) ?? word))
  const documents = collection.documents.map(({ id }, place) => {
    const own = terms[place] ?? []
    return { id, length: own.length, counts: countsOf(own) }
  })
  const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const holding = countsOf(documents.flatMap(({ counts }) => [...counts.keys()]))
  const weightOf = (term: string) => {
    const count = holding.get(term) ?? 0
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5))
  }
  const figures = collection.queries.map(({ id }, place) => {
    const asked = terms[collection.documents.length + place] ?? []
    const scored = documents.map(({ counts, id: name, length }) => {
      const saturated = (frequency: number) => frequency / (frequency + K1 * (1 - B + (B * length) / averageLength))
      return { name, score: asked.reduce((sum, term) => sum + weightOf(term) * saturated(counts.get(term) ?? 0), 0) }
    })
    const ranked = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score)
    return ndcgAt(
      10,
      ranked.map(({ name }) => name),
      collection.judgements.get(id) ?? new Map()
    )
  })
  return meanOf(figures)
})
