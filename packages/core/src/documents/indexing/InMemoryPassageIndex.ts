import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storableText.ts"
import type { Document, DocumentKey, Passage } from "../Document.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import { DocumentStore } from "../storing/DocumentStore.ts"
import { type Embedder, type Embedding, PassageEmbedder } from "../embedding/Embedder.ts"
import { embeddedText, embeddingModel, embedQuery, embedTexts } from "../embedding/embedPassages.ts"
import { excerptOf } from "./excerpt.ts"
import { keyInMemory } from "../storing/InMemoryDocumentStore.ts"
import { type IndexedPassage, indexPassage, searchPassages } from "../searching/InMemoryPassageSearch.ts"
import {
  type BeginGeneration,
  type Generation,
  GenerationGone,
  type IndexedBy,
  NOTHING_EMBEDDED,
  PassageIndex
} from "./PassageIndex.ts"
import { searchableQuery } from "../searching/searchableText.ts"
import { type SearchLanguage, searchLanguageOf } from "../searching/languages/searchLanguage.ts"
import { INDEXING_VERSION } from "./indexDocument.ts"

interface StoredGeneration {
  readonly generation: number
  readonly fingerprint: string
  /** By what it was made; `activated` numbers the activations of all documents. */
  readonly indexedBy: IndexedBy
  readonly activated: number | undefined
  readonly active: boolean
  readonly parsed: ParsedDocument
  readonly language: SearchLanguage
  readonly passages: ReadonlyArray<IndexedPassage>
  /** By what was embedded; kept before the passages are. */
  readonly embeddings: ReadonlyMap<string, Embedding>
}

/** The generations of one document, and how many were begun so far. */
interface StoredIndex {
  readonly begun: number
  readonly generations: ReadonlyArray<StoredGeneration>
}

const stored = (passage: Passage): Passage => ({ ...passage, text: storableText(passage.text) })

const gone = ({ documentId }: DocumentKey) => new GenerationGone({ documentId })

const begun = (index: StoredIndex, { fingerprint, parsed }: BeginGeneration, by: IndexedBy): StoredIndex => {
  const generation: StoredGeneration = {
    generation: index.begun + 1,
    fingerprint,
    indexedBy: by,
    activated: undefined,
    active: false,
    parsed: { ...parsed, text: storableText(parsed.text) },
    language: searchLanguageOf(parsed.text),
    passages: [],
    embeddings: new Map()
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
  /** Puts another in the place of a generation, which fails where it is gone. */
  const change = (key: Generation, changed: (found: StoredGeneration) => StoredGeneration) =>
    Effect.suspend(() => {
      const found = find(key)
      if (found === undefined) return Effect.fail(gone(key))
      return Effect.sync(() =>
        keep(
          key,
          indexOf(key).generations.map((each) => (each === found ? changed(found) : each))
        )
      )
    })

  /** What the owner has of embeddings by this embedder. */
  const knownTo = (userId: string, by: Embedder["Service"]): ReadonlyMap<string, Embedding> => {
    const model = embeddingModel(by)
    const owned = [...indexes]
      .filter(([key]) => key.endsWith(` ${userId}`))
      .flatMap(([, { generations }]) => generations)
    return new Map(owned.flatMap(({ embeddings, indexedBy }) => (indexedBy.embedder === model ? [...embeddings] : [])))
  }

  /** Has the embeddings kept that the generation lacks of these passages; gives how many were asked for. */
  const embed = Effect.fnUntraced(function* (
    by: Embedder["Service"],
    key: Generation,
    passages: ReadonlyArray<Passage>
  ) {
    const keepEmbeddings = (found: ReadonlyMap<string, Embedding>) =>
      storage.exclusive(
        change(key, (generation) => ({ ...generation, embeddings: new Map([...generation.embeddings, ...found]) }))
      )
    const known = yield* storage.exclusive(Effect.sync(() => knownTo(key.userId, by)))
    const texts = passages.map(embeddedText)
    const reused = texts.flatMap((text) => (known.has(text) ? [[text, known.get(text)!] as const] : []))
    if (reused.length > 0) yield* keepEmbeddings(new Map(reused))
    const wanting = texts.filter((text) => !known.has(text))
    yield* embedTexts(by, { texts: [...new Set(wanting)], keep: keepEmbeddings })
    return { asked: wanting.length, reused: texts.length - wanting.length }
  })

  const begin: PassageIndex["Service"]["begin"] = (input) =>
    storage.run(
      Effect.gen(function* () {
        const { userId, documentId, parser } = input
        const model = embedder && embeddingModel(embedder)
        const fingerprint = model === undefined ? input.fingerprint : `${input.fingerprint} ${model}`
        if ((yield* documents.find(userId, [documentId])).length === 0) return yield* gone(input)
        const by = { parser, version: INDEXING_VERSION, embedder: model }
        const isContinued = (each: StoredGeneration) => !each.active && each.fingerprint === fingerprint
        const unfinished = indexOf(input).generations.find(isContinued)
        if (unfinished === undefined) {
          indexes.set(keyInMemory(input), begun(indexOf(input), { ...input, fingerprint }, by))
        } else
          yield* change({ userId, documentId, generation: unfinished.generation }, (found) => ({
            ...found,
            indexedBy: by
          }))
        const { generation, passages } = indexOf(input).generations.find(isContinued)!
        return { userId, documentId, generation, passages: passages.length }
      })
    )

  const add: PassageIndex["Service"]["add"] = Effect.fnUntraced(function* (key, passages) {
    const kept = find(key)
    if (kept === undefined) return yield* gone(key)
    const wanting = missing(kept, passages).map(stored)
    const counts = embedder === undefined ? NOTHING_EMBEDDED : yield* embed(embedder, key, wanting)
    yield* storage.exclusive(
      Effect.suspend(() => {
        const found = find(key)
        if (found === undefined) return Effect.fail(gone(key))
        const rest = missing(found, passages).map(stored)
        if (rest.length === 0) return Effect.void
        if (found.active) return Effect.fail(gone(key))
        const added = rest.map((passage) =>
          indexPassage(passage, found.language, found.embeddings.get(embeddedText(passage)))
        )
        return change(key, () => ({ ...found, passages: [...found.passages, ...added] }))
      })
    )
    return counts
  })

  const activate: PassageIndex["Service"]["activate"] = (key) =>
    storage.exclusive(
      Effect.suspend(() => {
        const found = find(key)
        if (found === undefined) return Effect.fail(gone(key))
        const later = indexOf(key).generations.filter(({ generation }) => generation > key.generation)
        const activated = found.active ? found.activated : storage.nextMoment()
        return Effect.sync(() => keep(key, [{ ...found, active: true, activated }, ...later]))
      })
    )

  /** With an embedder, what is answered is kept step by step. */
  const put: PassageIndex["Service"]["put"] = (document, also = Effect.void) =>
    embedder !== undefined
      ? Effect.succeed(undefined)
      : storage.run(
          Effect.gen(function* () {
            const generation = yield* begin(document)
            const added = yield* add(generation, document.passages)
            yield* activate(generation)
            yield* also
            return added
          })
        )

  return PassageIndex.of({
    embedder,
    begin,
    add,
    unembedded: (userId, passages) =>
      storage.exclusive(
        Effect.sync(() => {
          if (embedder === undefined) return []
          const known = knownTo(userId, embedder)
          const byText = new Map(passages.map((passage) => [embeddedText(stored(passage)), passage]))
          return [...byText].flatMap(([text, passage]) => (known.has(text) ? [] : [passage]))
        })
      ),
    activate,
    put,
    indexings: (keys) =>
      storage.exclusive(
        Effect.sync(() =>
          keys.flatMap(({ userId, documentId }) => {
            const found = activeOf({ userId, documentId })
            if (found === undefined) return []
            const { activated: activatedAt, indexedBy, passages } = found
            return [{ userId, documentId, ...indexedBy, passages: passages.length, activatedAt }]
          })
        )
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
          return searchPassages(indexed, input, embedding && { embedding, weight: embedder?.weight })
        })
      )
    })
  })
})

/** The passages of one process, for tests and for trying things out. Documents are those of the `DocumentStore` beside it. */
export const InMemoryPassageIndex = {
  layer: Layer.effect(PassageIndex, make).pipe(Layer.provide(InMemoryStorage.layer))
}
