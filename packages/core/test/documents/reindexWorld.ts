import {
  DocumentParser,
  DocumentStore,
  type DocumentUnreadable,
  type Embedder,
  type EmbedderLimits,
  type EmbeddingFailed,
  FileStore,
  indexDocument,
  makeInMemoryEmbedder,
  PassageEmbedder,
  UnitOfWork
} from "@parley/core/adapter"
import { ampleQuota, newDocument } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { passagePorts } from "../../src/testing/documents/passages/passageIndexFixtures.ts"

/** About 40 passages; each document's are its own. */
export const textOf = (name: string) =>
  Array.from({ length: 700 }, (_, line) => `Line ${line} of ${name} speaks of lift, of drag and of wings.\n`).join("")

/** Documents, what reads them and what embeds them, as a test changes them. */
export const makeWorld = (limits: Partial<EmbedderLimits> = { textsPerRequest: 10, concurrency: 2 }) => {
  const world = {
    asked: [] as Array<string>,
    /** The event for which a request waits, or its failure. */
    onRequest: (_texts: ReadonlyArray<string>): Effect.Effect<void, EmbeddingFailed> => Effect.void,
    parserVersion: "1",
    reads: 0,
    parse: (bytes: Uint8Array): Effect.Effect<string, DocumentUnreadable> =>
      Effect.succeed(new TextDecoder().decode(bytes)),
    model: "in-memory/one"
  }
  const made = makeInMemoryEmbedder({
    limits,
    onRequest: (texts) =>
      Effect.suspend(() => {
        world.asked.push(...texts)
        return world.onRequest(texts)
      })
  })
  const embedder: Embedder["Service"] = {
    get name() {
      return world.model
    },
    dimensions: made.dimensions,
    limits: made.limits,
    embed: (texts) => made.embed(texts)
  }
  const parser = DocumentParser.of({
    versionOf: () => world.parserVersion,
    parse: ({ bytes }) =>
      Effect.suspend(() => {
        world.reads++
        return Effect.map(world.parse(bytes), (text) => ({ text, pageStarts: null }))
      })
  })
  const layer = Layer.mergeAll(inMemoryStorageLayer, Layer.succeed(DocumentParser, parser)).pipe(
    Layer.provideMerge(Layer.succeed(PassageEmbedder, embedder))
  )
  return { world, layer }
}

/** A ready document of this text. */
export const ready = Effect.fnUntraced(function* (userId: string, text: string) {
  const document = newDocument(userId)
  const key = { userId, documentId: document.id }
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* (yield* FileStore).write({ ...key, bytes: new TextEncoder().encode(text) })
  const index = yield* passagePorts
  const filled = yield* indexDocument(index, {
    document: key,
    parsed: { text, pageStarts: null },
    parser: "1",
    last: false,
    onProgress: () => Effect.void
  })
  yield* (yield* UnitOfWork).run(
    userId,
    Effect.andThen(
      index.activate(filled),
      (yield* DocumentStore).update(userId, document.id, ["processing"], {
        status: "ready",
        progress: 1,
        passages: filled.passages
      })
    )
  )
  return key
})
