import { Effect } from "effect"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storedForms.ts"
import type { Passage } from "../Document.ts"
import type { Embedder, Embedding } from "../embedding/Embedder.ts"
import { embeddedText, embeddingModel, embedTexts } from "../embedding/embedPassages.ts"
import { indexPassage } from "../searching/InMemoryPassageSearch.ts"
import { DocumentStore } from "../storing/DocumentStore.ts"
import { gone, InMemoryGenerations, type StoredGeneration } from "./InMemoryGenerations.ts"
import { INDEXING_VERSION } from "./indexDocument.ts"
import { type Generation, NOTHING_EMBEDDED, PassageWriter } from "./PassageWriter.ts"

const stored = (passage: Passage): Passage => ({ ...passage, text: storableText(passage.text) })

/** Returns the added passages that a generation does not contain yet. */
const missing = ({ passages }: StoredGeneration, added: ReadonlyArray<Passage>): ReadonlyArray<Passage> => {
  const rest = added.filter(({ ordinal }) => ordinal >= passages.length)
  if (rest[0] !== undefined && rest[0].ordinal !== passages.length) throw new Error("The passages leave a gap.")
  return rest.map(stored)
}

/** Finds the unfinished generation with the same fingerprint and embedder, or begins a new one. */
const makeBegin = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const documents = yield* DocumentStore
  const generations = yield* InMemoryGenerations
  const { embedder } = generations
  return ((input) =>
    storage.run(
      Effect.gen(function* () {
        const { userId, documentId, parser } = input
        const model = embedder && embeddingModel(embedder)
        const fingerprint = model === undefined ? input.fingerprint : `${input.fingerprint} ${model}`
        if ((yield* documents.find(userId, [documentId])).length === 0) return yield* gone(input)
        const indexedBy = { parser, version: INDEXING_VERSION, embedder: model }
        const unfinished = generations.all(input).find((each) => !each.active && each.fingerprint === fingerprint)
        const { generation, passages } = unfinished ?? generations.begin({ ...input, fingerprint }, indexedBy)
        const key = { userId, documentId, generation }
        yield* generations.change(key, (found) => ({ ...found, indexedBy }))
        return { ...key, passages: passages.length }
      })
    )) satisfies PassageWriter["Service"]["begin"]
})

/** Stores the embeddings that the generation lacks; returns the numbers of requested and of reused embeddings. */
const makeEmbed = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const generations = yield* InMemoryGenerations
  return Effect.fnUntraced(function* (by: Embedder["Service"], key: Generation, passages: ReadonlyArray<Passage>) {
    const keep = (found: ReadonlyMap<string, Embedding>) =>
      storage.exclusive(
        generations.change(key, (generation) => ({
          ...generation,
          embeddings: new Map([...generation.embeddings, ...found])
        }))
      )
    const known = yield* storage.exclusive(Effect.sync(() => generations.embeddingsOf(key.userId, by)))
    const texts = passages.map(embeddedText)
    const reused = texts.flatMap((text) => (known.has(text) ? [[text, known.get(text)!] as const] : []))
    if (reused.length > 0) yield* keep(new Map(reused))
    const wanting = texts.filter((text) => !known.has(text))
    yield* embedTexts(by, { texts: [...new Set(wanting)], keep })
    return { asked: wanting.length, reused: texts.length - wanting.length }
  })
})

const makeAdd = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const generations = yield* InMemoryGenerations
  const embed = yield* makeEmbed
  const { embedder } = generations
  return Effect.fnUntraced(function* (key, passages) {
    const kept = generations.find(key)
    if (kept === undefined) return yield* gone(key)
    const counts = embedder === undefined ? NOTHING_EMBEDDED : yield* embed(embedder, key, missing(kept, passages))
    yield* storage.exclusive(
      Effect.suspend(() => {
        const found = generations.find(key)
        if (found === undefined) return Effect.fail(gone(key))
        const rest = missing(found, passages)
        if (rest.length === 0) return Effect.void
        if (found.active) return Effect.fail(gone(key))
        const added = rest.map((passage) =>
          indexPassage(passage, found.language, found.embeddings.get(embeddedText(passage)))
        )
        return generations.change(key, () => ({ ...found, passages: [...found.passages, ...added] }))
      })
    )
    return counts
  }) satisfies PassageWriter["Service"]["add"]
})

/** The `PassageWriter` in the memory of one process. */
export const makeInMemoryPassageWriter = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const generations = yield* InMemoryGenerations
  const begin = yield* makeBegin
  const add = yield* makeAdd
  const activate = (key: Generation) =>
    storage.exclusive(
      Effect.suspend(() => {
        const found = generations.find(key)
        if (found === undefined) return Effect.fail(gone(key))
        const later = generations.all(key).filter(({ generation }) => generation > key.generation)
        const activated = found.active ? found.activated : storage.nextMoment()
        return Effect.sync(() => generations.keep(key, [{ ...found, active: true, activated }, ...later]))
      })
    )
  return PassageWriter.of({
    begin,
    add,
    activate,
    /** Declines if there is an embedder, because its embeddings have to be stored request by request. */
    put: (document, also = Effect.void) =>
      generations.embedder !== undefined
        ? Effect.succeed(undefined)
        : storage.run(
            Effect.gen(function* () {
              const generation = yield* begin(document)
              const added = yield* add(generation, document.passages)
              yield* activate(generation)
              yield* also
              return added
            })
          ),
    abandon: (key) =>
      storage.exclusive(
        Effect.sync(() => {
          const kept = generations.all(key).filter(({ active, generation }) => active || generation !== key.generation)
          generations.keep(key, kept)
        })
      )
  })
})
