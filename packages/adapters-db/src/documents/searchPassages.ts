import {
  accentedWords,
  type Embedder,
  embeddingModel,
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
import { Effect } from "effect"
import type { Database, DatabaseError } from "../database/Database.ts"
import { headingsField } from "./headingsValue.ts"
import type { passageSql } from "./passageSql.ts"
import type { NearRow, PassageRow, VectorSearch } from "./vectorSearch.ts"

/** A search within so many documents looks each term up in each; one within more reads all that have the term. */
const FEW_DOCUMENTS = 64

interface FoundRow extends PassageRow {
  readonly score: number
  readonly length: number
  /** Of the first `FEEDBACK.candidates`, with a space between. */
  readonly terms: string | null
  readonly frequencies: string | null
  /** Of the first `FEEDBACK.passages`: how many of the owner's passages have each of the terms. */
  readonly passages_with: string | null
  /** Terms in the query, and of the owner's passages their number and average length. */
  readonly occurrences: number
  readonly passages: number
  readonly average_length: number
}

const foundOf = (row: PassageRow, score: number): FoundPassage => ({
  documentId: row.document_id,
  filename: row.filename,
  ordinal: row.ordinal,
  page: row.page,
  start: row.start_offset,
  end: row.end_offset,
  text: row.text,
  ...headingsField(row.headings),
  score
})

const listOf = (column: string | null): ReadonlyArray<string> =>
  column === null || column === "" ? [] : column.split(" ")

const zipped = (terms: string | null, counts: string | null): ReadonlyMap<string, number> => {
  const values = listOf(counts)
  return new Map(listOf(terms).map((term, place) => [term, Number(values[place])]))
}

const bestFirst = (one: FoundPassage, other: FoundPassage): number =>
  other.score - one.score ||
  (one.documentId === other.documentId ? one.ordinal - other.ordinal : one.documentId < other.documentId ? -1 : 1)

/** Ranks what BM25 found anew by what its best have in common. */
const withFeedback = (rows: ReadonlyArray<FoundRow>): ReadonlyArray<FoundPassage> => {
  const [first] = rows
  if (first === undefined) return []
  const candidates = rows.slice(0, FEEDBACK.candidates)
  const known = new Map(rows.slice(0, FEEDBACK.passages).flatMap((row) => [...zipped(row.terms, row.passages_with)]))
  const more = feedbackScores(
    candidates.map(({ frequencies, length, score, terms }) => ({ length, score, terms: zipped(terms, frequencies) })),
    first.occurrences,
    { passages: first.passages, averageLength: first.average_length, passagesWith: (term) => known.get(term) ?? 0 }
  )
  return [
    ...candidates.map((row, rank) => foundOf(row, row.score + (more[rank] ?? 0))).sort(bestFirst),
    ...rows.slice(FEEDBACK.candidates).map((row) => foundOf(row, row.score))
  ]
}

const keyOf = (documentId: string, ordinal: number): string => `${documentId} ${ordinal}`

/** What was found by words with what is near, by the fused scores of both. */
const fused = (byWords: ReadonlyArray<FoundPassage>, near: ReadonlyArray<NearRow>): ReadonlyArray<FoundPassage> => {
  const known = new Set(byWords.map(({ documentId, ordinal }) => keyOf(documentId, ordinal)))
  const similarities = new Map(near.map((row) => [keyOf(row.document_id, row.ordinal), row.similarity]))
  const all = [
    ...byWords,
    ...near
      .filter((row) => row.similarity > 0 && !known.has(keyOf(row.document_id, row.ordinal)))
      .map((row) => foundOf(row, 0))
  ]
  const scores = fusedScores(
    all.map(({ documentId, ordinal, score }) => ({ score, similarity: similarities.get(keyOf(documentId, ordinal)) }))
  )
  return all.map((passage, place) => ({ ...passage, score: scores[place] ?? 0 })).sort(bestFirst)
}

export interface SearchParts {
  readonly database: Database["Service"]
  readonly embedder: Embedder["Service"] | undefined
  readonly text: ReturnType<typeof passageSql>
  readonly vectors: VectorSearch
}

/** `PassageIndex.search`: a statement and what feedback makes of its rows; where there is an embedder, another for what is near. */
export const searchPassages = Effect.fnUntraced(function* (
  { database, embedder, text, vectors }: SearchParts,
  { documentIds, limit, query, userId }: SearchInput
): Effect.fn.Return<ReadonlyArray<FoundPassage>, DatabaseError> {
  const named = [...new Set(documentIds.filter(isUuid).map((id) => id.toLowerCase()))]
  const searchable = searchableQuery(query)
  if (named.length === 0 || searchable === "" || limit <= 0) return []
  const statement = named.length <= FEW_DOCUMENTS ? text.searchFew : text.searchMany
  const accented = [...accentedWords(searchable)].flatMap(([word, count]) => Array.from({ length: count }, () => word))
  const params = [userId, named, searchable, Math.max(limit, FEEDBACK.candidates), accented, accented.map(plainWord)]
  const [rows, embedding] = yield* Effect.all(
    [
      database.statementAsUser<FoundRow>(userId, statement, params),
      embedder === undefined ? Effect.succeed(undefined) : embedQuery(embedder, query)
    ],
    { concurrency: "unbounded" }
  )
  const byWords = withFeedback(rows)
  if (embedder === undefined || embedding === undefined) return byWords.slice(0, limit)
  const near = yield* vectors({
    userId,
    documentIds: named,
    embedding,
    model: embeddingModel(embedder),
    beside: rows
  })
  return (near === undefined ? byWords : fused(byWords, near)).slice(0, limit)
})
