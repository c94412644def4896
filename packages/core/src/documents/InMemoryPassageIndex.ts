import { Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { scoreTerm } from "./bm25.ts"
import type { Document, FoundPassage, Passage } from "./Document.ts"
import { DocumentStore } from "./DocumentStore.ts"
import { PassageIndex, type SearchInput } from "./PassageIndex.ts"
import { MAX_QUERY_LENGTH } from "./searchableText.ts"
import { termsOf } from "./termsOf.ts"

interface IndexedPassage {
  readonly passage: Passage
  readonly terms: ReadonlyMap<string, number>
  readonly length: number
}

interface IndexedDocument {
  readonly document: Document
  readonly passages: ReadonlyArray<IndexedPassage>
}

/** The passages of one process, for tests and for trying things out. Documents are those of the `DocumentStore` beside it. */
export class InMemoryPassageIndex {
  static readonly layer: Layer.Layer<PassageIndex, never, DocumentStore> = Layer.effect(
    PassageIndex,
    Effect.gen(function* () {
      const documents = yield* DocumentStore
      const passagesOf = new Map<UserId, ReadonlyMap<string, ReadonlyArray<IndexedPassage>>>()
      /** What is left of an owner's index once documents deleted since are taken out. */
      const indexedOf = (userId: UserId) =>
        Effect.map(documents.list(userId), (owned) =>
          owned.flatMap((document): ReadonlyArray<IndexedDocument> => {
            const passages = passagesOf.get(userId)?.get(document.id)
            return passages === undefined ? [] : [{ document, passages }]
          })
        )
      return PassageIndex.of({
        replace: Effect.fnUntraced(function* ({ userId, documentId, passages }) {
          const id = documentId.toLowerCase()
          const owned = yield* documents.list(userId)
          if (!owned.some((document) => document.id === id)) return
          const kept = (yield* indexedOf(userId)).map(({ document, passages }) => [document.id, passages] as const)
          passagesOf.set(userId, new Map([...kept, [id, passages.map(indexPassage)]]))
        }),
        search: (input) => Effect.map(indexedOf(input.userId), (indexed) => searchIn(indexed, input))
      })
    })
  )
}

const indexPassage = (passage: Passage): IndexedPassage => {
  const terms = termsOf(passage.text)
  return { passage, terms, length: sum([...terms.values()]) }
}

const searchIn = (indexed: ReadonlyArray<IndexedDocument>, input: SearchInput): ReadonlyArray<FoundPassage> => {
  const all = indexed.flatMap(({ passages }) => passages)
  const averageLength = sum(all.map(({ length }) => length)) / all.length
  const query = [...termsOf(input.query.slice(0, MAX_QUERY_LENGTH))].map(([term, weight]) => {
    return { term, weight, passagesWithTerm: all.filter(({ terms }) => terms.has(term)).length }
  })
  const scoreOf = ({ terms, length }: IndexedPassage): number =>
    sum(
      query.map(({ term, weight, passagesWithTerm }) => {
        const frequency = terms.get(term)
        if (frequency === undefined) return 0
        return weight * scoreTerm({ passages: all.length, passagesWithTerm, frequency, length, averageLength })
      })
    )
  const named = new Set(input.documentIds.map((id) => id.toLowerCase()))
  return indexed
    .filter(({ document }) => named.has(document.id))
    .flatMap(({ document, passages }) =>
      passages.map((indexed): FoundPassage => {
        return { ...indexed.passage, documentId: document.id, filename: document.filename, score: scoreOf(indexed) }
      })
    )
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || byPosition(one, other))
    .slice(0, Math.max(0, input.limit))
}

const byPosition = (one: FoundPassage, other: FoundPassage): number =>
  one.documentId === other.documentId ? one.ordinal - other.ordinal : one.documentId < other.documentId ? -1 : 1

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)
