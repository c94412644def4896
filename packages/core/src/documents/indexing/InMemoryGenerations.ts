import { Context, Effect, Layer } from "effect"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storedForms.ts"
import type { DocumentKey } from "../Document.ts"
import { type Embedder, type Embedding, PassageEmbedder } from "../embedding/Embedder.ts"
import { embeddingModel } from "../embedding/embedPassages.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import type { IndexedPassage } from "../searching/InMemoryPassageSearch.ts"
import { type SearchLanguage, searchLanguageOf } from "../searching/searchLanguage.ts"
import { keyInMemory } from "../storing/InMemoryDocumentStore.ts"
import type { IndexedBy } from "./PassageIndex.ts"
import { type BeginGeneration, type Generation, GenerationGone } from "./PassageWriter.ts"

export interface StoredGeneration {
  readonly generation: number
  readonly fingerprint: string
  readonly indexedBy: IndexedBy
  /** A number that orders the activations of all documents; undefined until the generation is active. */
  readonly activated: number | undefined
  readonly active: boolean
  readonly parsed: ParsedDocument
  readonly language: SearchLanguage
  readonly passages: ReadonlyArray<IndexedPassage>
  /** By the embedded text; an embedding is stored before its passage. */
  readonly embeddings: ReadonlyMap<string, Embedding>
}

/** The generations of one document, and the number of generations begun so far. */
interface StoredIndex {
  readonly begun: number
  readonly generations: ReadonlyArray<StoredGeneration>
}

export const gone = ({ documentId }: DocumentKey) => new GenerationGone({ documentId })

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const embedder = yield* PassageEmbedder
  const indexes = yield* storage.table<string, StoredIndex>()
  yield* storage.onDocumentRemoved((document) => void indexes.delete(keyInMemory(document)))

  const indexOf = (document: DocumentKey): StoredIndex =>
    indexes.get(keyInMemory(document)) ?? { begun: 0, generations: [] }
  const all = (document: DocumentKey) => indexOf(document).generations
  const find = (key: Generation) => all(key).find(({ generation }) => generation === key.generation)
  const keep = (document: DocumentKey, generations: ReadonlyArray<StoredGeneration>) =>
    void indexes.set(keyInMemory(document), { ...indexOf(document), generations })
  /**
   * The language of most of the owner's other documents; if two are equally frequent, the one whose code comes first.
   */
  const usualLanguage = ({ documentId, userId }: DocumentKey): SearchLanguage | undefined => {
    const counts = new Map<SearchLanguage, number>()
    for (const [key, { generations }] of indexes) {
      const active = generations.find((each) => each.active)
      if (active === undefined || !key.endsWith(` ${userId}`) || key === keyInMemory({ documentId, userId })) continue
      counts.set(active.language, (counts.get(active.language) ?? 0) + 1)
    }
    return [...counts].sort(([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1))[0]?.[0]
  }
  return {
    all,
    find,
    keep,
    activeOf: (document: DocumentKey) => all(document).find(({ active }) => active),
    /** Begins a generation, which replaces an unfinished one. */
    begin: ({ fingerprint, parsed, ...document }: BeginGeneration, indexedBy: IndexedBy) => {
      const { begun, generations } = indexOf(document)
      const generation: StoredGeneration = {
        ...{ generation: begun + 1, fingerprint, indexedBy, activated: undefined, active: false },
        parsed: { ...parsed, text: storableText(parsed.text) },
        language: searchLanguageOf(parsed.text, usualLanguage(document)),
        ...{ passages: [], embeddings: new Map() }
      }
      const rest = generations.filter(({ active }) => active)
      indexes.set(keyInMemory(document), { begun: generation.generation, generations: [...rest, generation] })
      return generation
    },
    /** Replaces a generation; fails if it no longer exists. */
    change: (key: Generation, changed: (found: StoredGeneration) => StoredGeneration) =>
      Effect.suspend(() => {
        const found = find(key)
        if (found === undefined) return Effect.fail(gone(key))
        keep(
          key,
          all(key).map((each) => (each === found ? changed(found) : each))
        )
        return Effect.void
      }),
    /** Returns the owner's embeddings by this embedder. */
    embeddingsOf: (userId: string, by: Embedder["Service"]): ReadonlyMap<string, Embedding> => {
      const model = embeddingModel(by)
      const owned = [...indexes]
        .filter(([key]) => key.endsWith(` ${userId}`))
        .flatMap(([, { generations }]) => generations)
      return new Map(
        owned.flatMap(({ embeddings, indexedBy }) => (indexedBy.embedder === model ? [...embeddings] : []))
      )
    },
    embedder
  }
})

/** The generations of all documents in the memory of one process, which the index reads and the writer changes. */
export class InMemoryGenerations extends Context.Service<InMemoryGenerations, Effect.Success<typeof make>>()(
  "@parley/core/documents/InMemoryGenerations"
) {
  static readonly layer = Layer.effect(InMemoryGenerations, make)
}
