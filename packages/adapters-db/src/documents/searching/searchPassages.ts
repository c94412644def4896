import {
  accentedWords,
  type Embedder,
  embeddingModel,
  type Embedding,
  embedQuery,
  FEEDBACK,
  feedbackScores,
  type FoundPassage,
  fusedScores,
  isUuid,
  plainWord,
  type SearchInput,
  searchableQuery
} from "@parley/core/adapter"
import type { Heading } from "@parley/core/reading"
import { Effect, Fiber } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"
import type { FindVectorExtension } from "./findVectorExtension.ts"
import type { PassageSql } from "./passageSql.ts"

/** A stored passage. */
export interface StoredPassageRow extends Row {
  readonly ordinal: number
  readonly page: number | null
  readonly start_offset: number
  readonly end_offset: number
  readonly text: string
  readonly headings: ReadonlyArray<Heading> | null
}

/** A passage in the form in which a search reads it. */
export interface PassageRow extends StoredPassageRow {
  readonly document_id: string
  readonly filename: string
}

/** A passage that has words of the question. */
interface FoundRow extends PassageRow {
  readonly score: number
  readonly length: number
  /** The distinct terms of the passage, separated by spaces; null after the first `FEEDBACK.candidates` passages. */
  readonly terms: string | null
  readonly frequencies: string | null
  /**
   * For each term, the number of the owner's passages that have it; null after the first `FEEDBACK.passages` passages.
   */
  readonly passages_with: string | null
  /** The number of terms in the query, and the number of the owner's passages; the same in each row. */
  readonly occurrences: number
  readonly passages: number
  /** The average length of the passages of the named documents that have the language of this row's document. */
  readonly average_length: number
}

/**
 * A passage by its similarity to a question. It is complete if it may be a result because of its similarity; otherwise
 * it has only its document and its ordinal.
 */
interface NearRow extends Row {
  readonly document_id: string
  readonly ordinal: number
  readonly similarity: number
  readonly text: string | null
  /** The mean and the standard deviation of the similarities of all compared passages; the same in each row. */
  readonly average_similarity: number | null
  readonly deviation: number | null
}

export const foundOf = (row: PassageRow, score: number): FoundPassage => ({
  documentId: row.document_id,
  filename: row.filename,
  ordinal: row.ordinal,
  page: row.page,
  start: row.start_offset,
  end: row.end_offset,
  text: row.text,
  ...(row.headings === null ? {} : { headings: row.headings }),
  score
})

const withSimilarity = (passage: FoundPassage, similarity: number | undefined): FoundPassage =>
  similarity === undefined ? passage : { ...passage, similarity }

const zipped = (terms: string | null, counts: string | null): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  if (terms === null || terms === "") return found
  const values = (counts ?? "").split(" ")
  for (const [place, term] of terms.split(" ").entries()) found.set(term, Number(values[place]))
  return found
}

const bestFirst = (one: FoundPassage, other: FoundPassage): number =>
  other.score - one.score ||
  (one.documentId === other.documentId ? one.ordinal - other.ordinal : one.documentId < other.documentId ? -1 : 1)

/** Ranks the passages that BM25 found once more, by the terms that the best of them have in common. */
const withFeedback = (rows: ReadonlyArray<FoundRow>): ReadonlyArray<FoundPassage> => {
  const [first] = rows
  if (first === undefined) return []
  const candidates = rows.slice(0, FEEDBACK.candidates)
  const known = new Map<string, number>()
  for (const row of rows.slice(0, FEEDBACK.passages)) {
    for (const [term, passages] of zipped(row.terms, row.passages_with)) known.set(term, passages)
  }
  const more = feedbackScores(
    candidates.map(({ average_length: averageLength, frequencies, length, score, terms }) => ({
      ...{ averageLength, length, score },
      terms: zipped(terms, frequencies)
    })),
    first.occurrences,
    { passages: first.passages, passagesWith: (term) => known.get(term) ?? 0 }
  )
  const scored = rows.map((row, rank) => foundOf(row, row.score + (more[rank] ?? 0)))
  return [...scored.slice(0, FEEDBACK.candidates).sort(bestFirst), ...scored.slice(FEEDBACK.candidates)]
}

const keyOf = (documentId: string, ordinal: number): string => `${documentId} ${ordinal}`

const isWhole = (row: NearRow): row is NearRow & PassageRow => row.text !== null

/**
 * Merges the passages found by words with the near ones, by the fused scores of both searches; of equal scores the
 * nearer passage comes first. A passage that is only near and was returned without its text is less near than all
 * passages that were returned with their texts, and counts only in the statistics.
 */
const fused = (
  byWords: ReadonlyArray<FoundPassage>,
  near: ReadonlyArray<NearRow>,
  weight: number | undefined
): ReadonlyArray<FoundPassage> => {
  const crowd = { average: near[0]?.average_similarity ?? 0, deviation: near[0]?.deviation ?? 0 }
  const known = new Set(byWords.map(({ documentId, ordinal }) => keyOf(documentId, ordinal)))
  const similarities = new Map(near.map((row) => [keyOf(row.document_id, row.ordinal), row.similarity]))
  const nearOnly = near.filter((row) => row.similarity > 0 && !known.has(keyOf(row.document_id, row.ordinal)))
  const candidates = [
    ...byWords.map(({ documentId, ordinal, score }) => ({
      score,
      similarity: similarities.get(keyOf(documentId, ordinal))
    })),
    ...nearOnly.map(({ similarity }) => ({ score: 0, similarity }))
  ]
  const scores = fusedScores(candidates, crowd, weight)
  const all = [...byWords, ...nearOnly.map((row) => (isWhole(row) ? foundOf(row, 0) : undefined))]
  return all
    .flatMap((passage, place) =>
      passage === undefined
        ? []
        : [withSimilarity({ ...passage, score: scores[place] ?? 0 }, candidates[place]?.similarity)]
    )
    .sort(
      (one, other) =>
        other.score - one.score || (other.similarity ?? -1) - (one.similarity ?? -1) || bestFirst(one, other)
    )
}

export interface SearchParts {
  readonly database: Database["Service"]
  readonly embedder: Embedder["Service"] | undefined
  readonly text: PassageSql
  readonly findVectorExtension: FindVectorExtension
}

/**
 * Returns the embedding if the embedder works in this process and answers at once; undefined if it takes longer or
 * fails.
 */
const readyEmbedding = Effect.fnUntraced(function* (asking: Fiber.Fiber<Embedding | undefined>) {
  yield* Effect.yieldNow
  return asking.pollUnsafe() === undefined ? undefined : yield* Fiber.join(asking)
})

/**
 * Implements `PassageIndex.search`: passages found by words, ranked again by feedback and, if there is an embedder,
 * merged with near passages. If the question's embedding is known at once, one statement does both searches; otherwise
 * the search by words runs while the embedder works.
 */
export const searchPassages = Effect.fnUntraced(function* (
  { database, embedder, findVectorExtension, text }: SearchParts,
  { documentIds, limit, query, userId }: SearchInput
): Effect.fn.Return<ReadonlyArray<FoundPassage>, DatabaseError> {
  const named = [...new Set(documentIds.filter(isUuid).map((id) => id.toLowerCase()))]
  const searchable = searchableQuery(query)
  if (named.length === 0 || searchable === "" || limit <= 0) return []
  const accented = [...accentedWords(searchable)].flatMap(([word, count]) => Array.from({ length: count }, () => word))
  const wanted = [userId, named, searchable, Math.max(limit, FEEDBACK.candidates), accented, accented.map(plainWord)]
  const byWords = database.statementAsUser<FoundRow>(userId, text.byWords, wanted)
  if (embedder === undefined) return withFeedback(yield* byWords).slice(0, limit)

  const model = embeddingModel(embedder)
  const asking = yield* Effect.forkChild(embedQuery(embedder, query))
  const ready = yield* readyEmbedding(asking)
  const extension = yield* findVectorExtension(userId)
  if (ready !== undefined && extension !== undefined) {
    const params = [...wanted, ready, model, limit, extension]
    const rows = yield* database.statementAsUser<FoundRow | NearRow>(userId, text.byBoth, params)
    const isFound = (row: FoundRow | NearRow): row is FoundRow => row["score"] !== null
    const near = rows.filter((row): row is NearRow => !isFound(row))
    return fused(withFeedback(rows.filter(isFound)), near, embedder.weight).slice(0, limit)
  }
  const rows = yield* byWords
  const found = withFeedback(rows)
  const embedding = yield* Fiber.join(asking)
  if (embedding === undefined || extension === undefined) return found.slice(0, limit)
  const documents = rows.map((row) => row.document_id)
  const ordinals = rows.map((row) => row.ordinal)
  const params = [userId, named, embedding, model, limit, extension, documents, ordinals]
  const near = yield* database.statementAsUser<NearRow>(userId, text.byMeaning, params)
  return fused(found, near, embedder.weight).slice(0, limit)
})
