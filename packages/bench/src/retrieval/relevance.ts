import { type FoundPassage, PassageIndex, relevantPassages } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Collection, CollectionQuery } from "./collection.ts"
import type { IndexedCollection } from "./indexCollection.ts"
import { CHAT_PASSAGES, spansOf } from "./searchCollection.ts"

/** The number of passages that the searches of chats found, and the number of those that a model was offered. */
export interface RelevanceFigures {
  /** The figures of passages that are relevant according to the collection. */
  readonly right: Offered
  /**
   * The figures of passages that were found for questions of another collection, with the number of these questions.
   */
  readonly foreign: (Offered & { readonly questions: number }) | undefined
}

interface Offered {
  readonly found: number
  readonly offered: number
}

const isRight = (collection: Collection, indexed: IndexedCollection, query: CollectionQuery) => {
  const spans = collection.spans.get(query.id)
  return (passage: FoundPassage): boolean => {
    const documentId = indexed.nameOf.get(passage.documentId) ?? ""
    if (spans === undefined) return (collection.judgements.get(query.id)?.get(documentId) ?? 0) > 0
    const [place] = spansOf([passage], indexed)
    return spans.some(
      (span) =>
        span.documentId === documentId && place !== undefined && span.start < place.end && place.start < span.end
    )
  }
}

/**
 * Searches with every query as a chat does, and with those of another collection. Counts the passages that pass the
 * relevance filter.
 */
export const measureRelevance = Effect.fnUntraced(function* (
  collection: Collection,
  indexed: IndexedCollection,
  foreign: Collection | undefined
): Effect.fn.Return<RelevanceFigures, unknown, PassageIndex> {
  const index = yield* PassageIndex
  const documentIds = [...indexed.idOf.values()]
  const ask = Effect.fnUntraced(function* (
    queries: ReadonlyArray<CollectionQuery>,
    counts: (query: CollectionQuery) => (passage: FoundPassage) => boolean
  ) {
    const sums = { found: 0, offered: 0 }
    for (const query of queries) {
      const { text } = query
      const found = yield* index.search({ userId: indexed.userId, documentIds, query: text, limit: CHAT_PASSAGES })
      sums.found += found.filter(counts(query)).length
      sums.offered += relevantPassages(text, found, index.embedder?.relevantFrom).filter(counts(query)).length
    }
    return sums
  })
  const right = yield* ask(collection.queries, (query) => isRight(collection, indexed, query))
  if (foreign === undefined) return { right, foreign: undefined }
  const others = yield* ask(foreign.queries, () => () => true)
  return { right, foreign: { ...others, questions: foreign.queries.length } }
})
