import { databaseLayer, migrate, PgDocumentStoreLayer, PgPassageIndexLayer } from "@parley/adapters-db"
import type { Document } from "@parley/core"
import {
  DocumentStore,
  type Embedder,
  type Passage,
  PassageEmbedder,
  PassageIndex,
  PassageWriter,
  PASSAGES_PER_BATCH
} from "@parley/core/adapter"
import { Effect, Layer, ManagedRuntime, Result } from "effect"
import type { Contender, OpenContender } from "./Contender.ts"
import { vectorOf } from "./corpus.ts"

const USER = "bench"
const QUOTA = { maxDocuments: 1_000_000, maxDocumentBytes: Number.MAX_SAFE_INTEGER }

const embedderOf = (dimensions: number): Embedder["Service"] => ({
  name: "bench/given",
  dimensions,
  limits: { textsPerRequest: 2_048, tokensPerRequest: 10_000_000, tokensPerText: 100_000, concurrency: 1 },
  embed: (texts) => Effect.sync(() => texts.map((text) => Result.succeed(vectorOf(text, dimensions))))
})

const documentOf = (id: string): Document => ({
  id,
  userId: USER,
  filename: `${id}.md`,
  type: "md",
  bytes: 1,
  status: "ready",
  progress: 1,
  reason: undefined,
  pages: undefined,
  passages: undefined,
  createdAt: 1_767_225_600_000
})

/** Returns passages at consecutive offsets, as if they were cut from one text. */
const passagesOf = (texts: ReadonlyArray<string>): ReadonlyArray<Passage> => {
  let start = 0
  return texts.map((text, ordinal) => {
    const passage = { ordinal, page: null, start, end: start + text.length, text }
    start += text.length + 1
    return passage
  })
}

/**
 * Parley's own index, with its search by words and its access rules. It stores a whole document with its text, and then
 * searches it.
 */
export const openParley = async ({ dimensions, url }: OpenContender): Promise<Contender> => {
  const stores = Layer.mergeAll(PgPassageIndexLayer, PgDocumentStoreLayer)
  const embedder = Layer.succeed(PassageEmbedder, embedderOf(dimensions))
  const runtime = ManagedRuntime.make(Layer.provideMerge(Layer.provide(stores, embedder), databaseLayer({ url })))
  await runtime.runPromise(migrate())
  return {
    name: "parley",
    upload: ({ id }) =>
      runtime.runPromise(Effect.asVoid(DocumentStore.use((store) => store.insert(documentOf(id), QUOTA)))),
    ingest: ({ id, texts }) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const writer = yield* PassageWriter
          const parsed = { text: texts.join("\n"), pageStarts: null }
          const document = { userId: USER, documentId: id, parsed, fingerprint: id }
          const passages = passagesOf(texts)
          // As in the product, a short document is stored at once, and a long one in batches.
          const isShort = passages.length <= PASSAGES_PER_BATCH
          if (isShort && (yield* writer.put({ ...document, passages })) !== undefined) return
          const generation = yield* writer.begin(document)
          for (let from = 0; from < passages.length; from += PASSAGES_PER_BATCH) {
            yield* writer.add(generation, passages.slice(from, from + PASSAGES_PER_BATCH))
          }
          yield* writer.activate(generation)
        })
      ),
    search: ({ documentIds, limit, query }) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const found = yield* (yield* PassageIndex).search({ userId: USER, documentIds, query, limit })
          return found.map(({ text }) => text)
        })
      ),
    close: () => runtime.dispose()
  }
}
