import { PGlite } from "@electric-sql/pglite"
import type { PassageWriter } from "@parley/core/adapter"
import { DocumentStore, type Embedder, PassageEmbedder, PassageIndex } from "@parley/core/adapter"
import {
  ampleQuota,
  indexPassages,
  makeEmbedderScript,
  newDocument,
  newUserId,
  passageMeaningContract,
  passagesOf,
  scriptedEmbedder
} from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Database, DatabaseOwner, PgDocumentStoreLayer, PgPassageIndexLayer } from "../../src/index.ts"
import { loadMigrations } from "../../src/migrations/Migration.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"
import { preparedDump } from "../preparedPglite.ts"

const storesWith = (embedder: Embedder["Service"]) =>
  // Layers are built once for all who ask within one run: each of these is another index.
  Layer.mergeAll(Layer.fresh(PgPassageIndexLayer), PgDocumentStoreLayer).pipe(
    Layer.provide(Layer.succeed(PassageEmbedder, embedder))
  )

const TEXTS = ["a car with four doors", "the dwelling on the hill"]

const indexedDocument = (texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const document = newDocument(newUserId())
    yield* (yield* DocumentStore).insert(document, ampleQuota)
    yield* indexPassages({ userId: document.userId, documentId: document.id }, passagesOf(...texts))
    return { userId: document.userId, documentId: document.id }
  })

const found = ({ documentId, userId }: { readonly documentId: string; readonly userId: string }, query: string) =>
  Effect.map(
    PassageIndex.use((index) => index.search({ userId, documentIds: [documentId], query, limit: 10 })),
    (passages) => passages.map(({ text }) => text)
  )

for (const { name, layer: database } of databases) {
  const layer = builtOnce(database)
  passageMeaningContract(name, (embedder) => Layer.provide(storesWith(embedder), layer))

  describe(`The embeddings of passages on ${name}`, () => {
    const embedder = scriptedEmbedder(makeEmbedderScript())
    const run = <A, E>(
      work: Effect.Effect<A, E, Database | DatabaseOwner | DocumentStore | PassageIndex | PassageWriter>,
      by: Embedder["Service"] = embedder
    ) => Effect.runPromise(Effect.provide(work, Layer.provideMerge(storesWith(by), layer)))

    it("a question whose embedding is there at once finds what one finds whose embedding comes late", () => {
      const texts = Array.from({ length: 12 }, (_, at) => `${["a car", "the dwelling"][at % 2]} number${at}`)
      const aTurnLater = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const late = {
        ...embedder,
        embed: (asked: ReadonlyArray<string>) => Effect.andThen(aTurnLater, embedder.embed(asked))
      }
      return run(
        Effect.gen(function* () {
          const { documentId, userId } = yield* indexedDocument(texts)
          const database = yield* Database
          const foundBy = (by: Embedder["Service"], query: string) =>
            Effect.forEach([1, 2, 5], (limit) =>
              PassageIndex.use((index) => index.search({ userId, documentIds: [documentId], query, limit }))
            ).pipe(Effect.provide(storesWith(by)), Effect.provideService(Database, database))
          // By meaning alone, by words alone, and by both.
          for (const query of ["automobile", "number7", "a car or house number3"]) {
            const [one, two, five = []] = yield* foundBy(embedder, query)
            expect(five.length).toBeGreaterThanOrEqual(1)
            expect([one, two]).toEqual([five.slice(0, 1), five.slice(0, 2)])
            expect(yield* foundBy(late, query)).toEqual([one, two, five])
          }
        })
      )
    })

    it("those of another model are not compared, nor where the embedder is taken away", () =>
      run(
        Effect.gen(function* () {
          const document = yield* indexedDocument(TEXTS)
          const database = yield* Database
          const other = scriptedEmbedder(makeEmbedderScript(), "scripted/other")
          const searchWith = (parts: Layer.Layer<DocumentStore | PassageIndex | PassageWriter, never, Database>) =>
            found(document, "automobile").pipe(Effect.provide(parts), Effect.provideService(Database, database))
          expect((yield* found(document, "automobile"))[0]).toBe(TEXTS[0])
          expect(yield* searchWith(storesWith(other))).toEqual([])
          expect(yield* searchWith(Layer.mergeAll(Layer.fresh(PgPassageIndexLayer), PgDocumentStoreLayer))).toEqual([])
        })
      ))

    it("the owner sees them, no other person does, and deleting or replacing the document leaves none of the old", () =>
      run(
        Effect.gen(function* () {
          const document = yield* indexedDocument(TEXTS)
          const { asUser, schema, statement } = yield* Database
          const text = `SELECT FROM ${schema}.passage_embeddings WHERE document_id = $1`
          const seenBy = (reader: string) =>
            Effect.map(
              asUser(reader, (sql) => sql.query(text, [document.documentId])),
              (rows) => rows.length
            )
          expect(yield* seenBy(document.userId)).toBe(2)
          expect(yield* seenBy(newUserId())).toBe(0)
          yield* indexPassages(document, passagesOf("another car"))
          expect(yield* seenBy(document.userId)).toBe(1)
          yield* (yield* DocumentStore).remove(document.userId, document.documentId)
          expect(yield* statement(text, [document.documentId])).toHaveLength(0)
        })
      ))

    it("without pgvector, words find what they find, and embeddings are kept for later", () =>
      run(
        Effect.gen(function* () {
          const { schema } = yield* Database
          const { execute } = yield* DatabaseOwner
          yield* execute("DROP EXTENSION vector CASCADE")
          const document = yield* indexedDocument(TEXTS)
          expect(yield* found(document, "automobile")).toEqual([])
          expect(yield* found(document, "car")).toEqual([TEXTS[0]])
          yield* execute(`CREATE EXTENSION vector WITH SCHEMA ${schema}`)
          expect((yield* found(document, "automobile"))[0]).toBe(TEXTS[0])
        })
      ))
  })
}

it("a server that does not have pgvector takes every migration", async () => {
  const engine = await PGlite.create({ loadDataDir: new Blob([await preparedDump()]) })
  try {
    await engine.exec("CREATE SCHEMA parley")
    for (const { text } of await loadMigrations()) await engine.exec(text.replaceAll("{{schema}}", "parley"))
    const { rows } = await engine.query("SELECT to_regclass('parley.passage_embeddings') IS NOT NULL AS there")
    expect(rows).toEqual([{ there: true }])
  } finally {
    await engine.close()
  }
})
