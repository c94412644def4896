import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storedForms.ts"
import { embeddedText, embedQuery } from "../embedding/embedPassages.ts"
import { searchPassages } from "../searching/InMemoryPassageSearch.ts"
import { searchableQuery } from "../searching/searchTerms.ts"
import { DocumentStore } from "../storing/DocumentStore.ts"
import { excerptOf } from "./excerpt.ts"
import { InMemoryGenerations } from "./InMemoryGenerations.ts"
import { makeInMemoryPassageWriter } from "./InMemoryPassageWriter.ts"
import { PassageIndex } from "./PassageIndex.ts"
import { PassageWriter } from "./PassageWriter.ts"

/** Returns at most `each` elements at even distances, including the first. */
const spreadOver = <A>(all: ReadonlyArray<A>, each: number): ReadonlyArray<A> => {
  const count = Math.min(each, all.length)
  return Array.from({ length: count }, (_, slot) => all[Math.floor((slot * all.length) / count)]!)
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const documents = yield* DocumentStore
  const { activeOf, embedder, embeddingsOf } = yield* InMemoryGenerations
  const exclusively = <A>(read: () => A) => storage.exclusive(Effect.sync(read))

  return PassageIndex.of({
    embedder,
    unembedded: (userId, passages) =>
      exclusively(() => {
        if (embedder === undefined) return []
        const known = embeddingsOf(userId, embedder)
        const byText = new Map(
          passages.map((passage) => [embeddedText({ ...passage, text: storableText(passage.text) }), passage])
        )
        return [...byText].flatMap(([text, passage]) => (known.has(text) ? [] : [passage]))
      }),
    indexings: (keys) =>
      exclusively(() =>
        keys.flatMap(({ userId, documentId }) => {
          const found = activeOf({ userId, documentId })
          if (found === undefined) return []
          const { activated: activatedAt, indexedBy, passages } = found
          return [{ userId, documentId, ...indexedBy, passages: passages.length, activatedAt }]
        })
      ),
    spread: Effect.fnUntraced(function* ({ documentIds, each, userId }) {
      const owned = yield* documents.find(userId, documentIds)
      return yield* exclusively(() =>
        documentIds.flatMap((documentId) => {
          const document = owned.find(({ id }) => id === documentId)
          const passages = document === undefined ? [] : (activeOf({ userId, documentId })?.passages ?? [])
          const filename = document?.filename ?? ""
          return spreadOver(passages, each).map(({ passage }) => ({ ...passage, documentId, filename, score: 0 }))
        })
      )
    }),
    read: (document) =>
      exclusively(() => {
        const found = activeOf(document)
        return found && { ...found.parsed, passages: found.passages.map(({ passage }) => passage) }
      }),
    excerpt: ({ from, to, ...document }) =>
      exclusively(() => {
        const found = activeOf(document)
        return found && excerptOf({ ...found.parsed, start: 0, length: found.parsed.text.length }, from, to)
      }),
    search: Effect.fnUntraced(function* (input) {
      if (input.documentIds.length === 0 || input.limit <= 0 || searchableQuery(input.query) === "") return []
      const embedding = embedder === undefined ? undefined : yield* embedQuery(embedder, input.query)
      const owned = yield* documents.list(input.userId)
      return yield* exclusively(() => {
        const indexed = owned.flatMap((document) => {
          const found = activeOf({ userId: input.userId, documentId: document.id })
          return found === undefined ? [] : [{ document, language: found.language, passages: found.passages }]
        })
        return searchPassages(indexed, input, embedding && { embedding, weight: embedder?.weight })
      })
    })
  })
})

/**
 * The passage index in the memory of one process: for tests, and for trying Parley out. Its documents are those of the
 * `DocumentStore`.
 */
export const InMemoryPassageIndex = {
  layer: Layer.mergeAll(Layer.effect(PassageIndex, make), Layer.effect(PassageWriter, makeInMemoryPassageWriter)).pipe(
    Layer.provide(InMemoryGenerations.layer),
    Layer.provide(InMemoryStorage.layer)
  )
}
