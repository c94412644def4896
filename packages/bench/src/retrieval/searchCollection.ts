import { type FoundPassage, PassageIndex } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Collection, CollectionQuery, ReferenceSpan } from "./collection.ts"
import type { IndexedCollection } from "./indexCollection.ts"
import { firstSpans, ndcgAt, recallAt, spanRecall } from "./measures.ts"

/** The figures of one query; a figure is undefined if the collection has no judgements for the query. */
export interface QueryFigures {
  readonly query: string
  readonly ndcg: number | undefined
  readonly recall: number | undefined
  readonly within: SpanFigures
  readonly overAll: SpanFigures
  /** The milliseconds of a search for the number of passages that a chat requests. */
  readonly latencyMs: number
}

export interface SpanFigures {
  readonly at5: number | undefined
  readonly at10: number | undefined
  /** The share of the reference in the first five passages, cut off at 5,000 characters. */
  readonly at5Bounded: number | undefined
}

/**
 * The number of passages that a chat requests, and the number that the figures over the first hundred documents need.
 */
export const CHAT_PASSAGES = 12
const DEEP_PASSAGES = 500
const CONTEXT = 5_000

const documentsOf = (found: ReadonlyArray<FoundPassage>, { nameOf }: IndexedCollection): ReadonlyArray<string> => [
  ...new Set(found.map(({ documentId }) => nameOf.get(documentId) ?? ""))
]

export const spansOf = (found: ReadonlyArray<FoundPassage>, { nameOf, shiftOf }: IndexedCollection) =>
  found.map(({ documentId, end, start }): ReferenceSpan => {
    const name = nameOf.get(documentId) ?? ""
    const shift = shiftOf.get(name) ?? 0
    return { documentId: name, start: start - shift, end: end - shift }
  })

const NO_SPANS: SpanFigures = { at5: undefined, at10: undefined, at5Bounded: undefined }

const spanFigures = (reference: ReadonlyArray<ReferenceSpan>, spans: ReadonlyArray<ReferenceSpan>): SpanFigures => ({
  at5: spanRecall(reference, firstSpans(spans, 5)),
  at10: spanRecall(reference, firstSpans(spans, 10)),
  at5Bounded: spanRecall(reference, firstSpans(spans, 5, CONTEXT))
})

/**
 * Searches with one query as a chat does, and measures the time; then searches for the number of passages that the
 * measures need.
 */
export const askQuery = Effect.fnUntraced(function* (
  collection: Collection,
  indexed: IndexedCollection,
  { id, text }: CollectionQuery
): Effect.fn.Return<QueryFigures, unknown, PassageIndex> {
  const index = yield* PassageIndex
  const { idOf, userId } = indexed
  const all = [...idOf.values()]
  const find = (documentIds: ReadonlyArray<string>, limit: number) =>
    index.search({ userId, documentIds, query: text, limit })
  const start = performance.now()
  yield* find(all, CHAT_PASSAGES)
  const latencyMs = performance.now() - start
  const found = yield* find(all, DEEP_PASSAGES)
  const ranked = documentsOf(found, indexed)
  const grades = collection.judgements.get(id) ?? new Map()
  const reference = collection.spans.get(id) ?? []
  const answering = [...new Set(reference.map(({ documentId }) => idOf.get(documentId) ?? ""))]
  const within = reference.length === 0 ? [] : yield* find(answering, 10)
  return {
    query: id,
    ndcg: ndcgAt(10, ranked, grades),
    recall: recallAt(100, ranked, grades),
    within: reference.length === 0 ? NO_SPANS : spanFigures(reference, spansOf(within, indexed)),
    overAll: reference.length === 0 ? NO_SPANS : spanFigures(reference, spansOf(found, indexed)),
    latencyMs
  }
})
