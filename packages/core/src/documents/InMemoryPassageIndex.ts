import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { storableText } from "../storage/storableText.ts"
import type { Document, DocumentKey, Passage } from "./Document.ts"
import type { ParsedDocument } from "./DocumentParser.ts"
import { DocumentStore } from "./DocumentStore.ts"
import { embeddingModel, embedPassages, embedQuery } from "./embedPassages.ts"
import { excerptOf } from "./excerpt.ts"
import { keyInMemory } from "./InMemoryDocumentStore.ts"
import { type IndexedPassage, indexPassage, searchPassages } from "./InMemoryPassageSearch.ts"
import { PassageEmbedder } from "./PassageEmbedder.ts"
import { type BeginGeneration, type Generation, GenerationGone, PassageIndex } from "./PassageIndex.ts"
import { searchableQuery } from "./searchableText.ts"
import { type SearchLanguage, searchLanguageOf } from "./searchLanguage.ts"

interface StoredGeneration {
  readonly generation: number
  readonly fingerprint: string
  readonly active: boolean
  readonly parsed: ParsedDocument
  readonly language: SearchLanguage
  readonly passages: ReadonlyArray<IndexedPassage>
}

/** The generations of one document, and how many were begun so far. */
interface StoredIndex {
  readonly begun: number
  readonly generations: ReadonlyArray<StoredGeneration>
}

const stored = (passage: Passage): Passage => ({ ...passage, text: storableText(passage.text) })

const gone = ({ documentId }: DocumentKey) => new GenerationGone({ documentId })

const begun = (index: StoredIndex, { fingerprint, parsed }: BeginGeneration): StoredIndex => {
  const generation: StoredGeneration = {
    generation: index.begun + 1,
    fingerprint,
    active: false,
    parsed: { ...parsed, text: storableText(parsed.text) },
    language: searchLanguageOf(parsed.text),
    passages: []
  }
  return {
    begun: generation.generation,
    generations: [...index.generations.filter(({ active }) => active), generation]
  }
}

/** The passages that a generation lacks of these. */
const missing = ({ passages }: StoredGeneration, added: ReadonlyArray<Passage>): ReadonlyArray<Passage> => {
  const rest = added.filter(({ ordinal }) => ordinal >= passages.length)
  if (rest[0] !== undefined && rest[0].ordinal !== passages.length) throw new Error("The passages leave a gap.")
  return rest
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const documents = yield* DocumentStore
  const embedder = yield* PassageEmbedder
  const indexes = yield* storage.table<string, StoredIndex>()
  yield* storage.onDocumentRemoved((document) => void indexes.delete(keyInMemory(document)))

  const indexOf = (document: DocumentKey) => indexes.get(keyInMemory(document)) ?? { begun: 0, generations: [] }
  const find = (key: Generation) => indexOf(key).generations.find(({ generation }) => generation === key.generation)
  const activeOf = (document: DocumentKey) => indexOf(document).generations.find(({ active }) => active)
  const keep = (document: DocumentKey, generations: ReadonlyArray<StoredGeneration>) =>
    void indexes.set(keyInMemory(document), { ...indexOf(document), generations })

  return PassageIndex.of({
    begin: (input) =>
      storage.run(
        Effect.gen(function* () {
          const { userId, documentId } = input
          const fingerprint =
            embedder === undefined ? input.fingerprint : `${input.fingerprint} ${embeddingModel(embedder)}`
          if ((yield* documents.find(userId, [documentId])).length === 0) return yield* gone(input)
          const isContinued = (each: StoredGeneration) => !each.active && each.fingerprint === fingerprint
          if (!indexOf(input).generations.some(isContinued)) {
            indexes.set(keyInMemory(input), begun(indexOf(input), { ...input, fingerprint }))
          }
          const { generation, passages } = indexOf(input).generations.find(isContinued)!
          return { userId, documentId, generation, passages: passages.length }
        })
      ),
    add: Effect.fnUntraced(function* (key, passages) {
      const kept = find(key)
      const wanting = kept === undefined ? [] : missing(kept, passages).map(stored)
      const embeddings = embedder === undefined ? [] : yield* embedPassages(embedder, wanting)
      yield* storage.exclusive(
        Effect.suspend(() => {
          const found = find(key)
          if (found === undefined) return Effect.fail(gone(key))
          const rest = missing(found, passages)
          if (rest.length === 0) return Effect.void
          if (found.active) return Effect.fail(gone(key))
          const added = rest.map((passage) => {
            const embedding = embeddings[wanting.findIndex(({ ordinal }) => ordinal === passage.ordinal)]
            return indexPassage(stored(passage), found.language, embedding)
          })
          const filled = { ...found, passages: [...found.passages, ...added] }
          return Effect.sync(() =>
            keep(
              key,
              indexOf(key).generations.map((each) => (each === found ? filled : each))
            )
          )
        })
      )
    }),
    activate: (key) =>
      storage.exclusive(
        Effect.suspend(() => {
          const found = find(key)
          if (found === undefined) return Effect.fail(gone(key))
          const later = indexOf(key).generations.filter(({ generation }) => generation > key.generation)
          return Effect.sync(() => keep(key, [{ ...found, active: true }, ...later]))
        })
      ),
    abandon: (key) =>
      storage.exclusive(
        Effect.sync(() =>
          keep(
            key,
            indexOf(key).generations.filter(({ active, generation }) => active || generation !== key.generation)
          )
        )
      ),
    read: (document) =>
      storage.exclusive(
        Effect.sync(() => {
          const found = activeOf(document)
          return found && { ...found.parsed, passages: found.passages.map(({ passage }) => passage) }
        })
      ),
    excerpt: ({ from, to, ...document }) =>
      storage.exclusive(
        Effect.sync(() => {
          const found = activeOf(document)
          return found && excerptOf({ ...found.parsed, start: 0, length: found.parsed.text.length }, from, to)
        })
      ),
    search: Effect.fnUntraced(function* (input) {
      if (input.documentIds.length === 0 || input.limit <= 0 || searchableQuery(input.query) === "") return []
      const embedding = embedder === undefined ? undefined : yield* embedQuery(embedder, input.query)
      const owned = yield* documents.list(input.userId)
      return yield* storage.exclusive(
        Effect.sync(() => {
          const indexed = owned.flatMap((document: Document) => {
            const found = activeOf({ userId: input.userId, documentId: document.id })
            return found === undefined ? [] : [{ document, language: found.language, passages: found.passages }]
          })
          return searchPassages(indexed, input, embedding)
        })
      )
    })
  })
})

/** The passages of one process, for tests and for trying things out. Documents are those of the `DocumentStore` beside it. */
export const InMemoryPassageIndex = {
  layer: Layer.effect(PassageIndex, make).pipe(Layer.provide(InMemoryStorage.layer))
}
