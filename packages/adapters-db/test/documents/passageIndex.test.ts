import { assert, layer as suite } from "@effect/vitest"
import { DocumentStore, PassageIndex } from "@parley/core"
import { ampleQuota, newDocument, newUserId, passageIndexContract, passagesOf } from "@parley/core/testing"
import { Effect, Fiber, Layer } from "effect"
import { Database, PgDocumentStoreLayer, PgPassageIndexLayer } from "../../src/index.ts"
import { databases } from "../databases.ts"

const TABLES = ["passage_generations", "passages", "postings"] as const

for (const { name, layer } of databases) {
  const stores = Layer.mergeAll(PgPassageIndexLayer, PgDocumentStoreLayer)
  passageIndexContract(name, stores.pipe(Layer.provide(layer)))

  suite(stores.pipe(Layer.provideMerge(layer)), { excludeTestServices: true, timeout: "60 seconds" })(
    `The tables of passages on ${name}`,
    (it) => {
      const indexed = Effect.gen(function* () {
        const document = newDocument(newUserId())
        yield* (yield* DocumentStore).insert(document, ampleQuota)
        const passages = passagesOf("lift of wings", "drag of bodies")
        yield* (yield* PassageIndex).replace({ userId: document.userId, documentId: document.id, passages })
        return document
      })
      const rows = Effect.fnUntraced(function* (table: string, reader: string, documentId: string) {
        const { schema, asUser } = yield* Database
        const text = `SELECT FROM ${schema}.${table} WHERE document_id = $1`
        return (yield* asUser(reader, (sql) => sql.query(text, [documentId]))).length
      })

      it.effect("the owner sees rows in each, nobody else does, and deleting the document leaves none", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, statement } = yield* Database
          for (const table of TABLES) {
            assert.isAbove(yield* rows(table, userId, id), 0)
            assert.strictEqual(yield* rows(table, newUserId(), id), 0)
          }
          yield* (yield* DocumentStore).remove(userId, id)
          for (const table of TABLES) {
            const left = yield* statement(`SELECT FROM ${schema}.${table} WHERE document_id = $1`, [id])
            assert.strictEqual(left.length, 0)
          }
        })
      )

      it.effect("people cannot write into any, not even their own rows", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, asUser } = yield* Database
          for (const table of TABLES) {
            const text = `DELETE FROM ${schema}.${table} WHERE document_id = $1`
            const failure = yield* Effect.flip(asUser(userId, (sql) => sql.query(text, [id])))
            assert.strictEqual(failure.sqlState, "42501")
          }
        })
      )

      it.effect("others are served while a long document is indexed", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { statement } = yield* Database
          const passages = passagesOf(...Array.from({ length: 1000 }, (_, number) => `lift of wing number${number}`))
          const indexing = yield* Effect.forkChild((yield* PassageIndex).replace({ userId, documentId: id, passages }))
          let served = 0
          while (indexing.pollUnsafe() === undefined) {
            yield* statement("SELECT 1")
            served += 1
          }
          assert.isAbove(served, 4)
        })
      )

      it.effect("no statement writes more than a few thousand words, also of a text that repeats none", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, statement } = yield* Database
          const texts = Array.from({ length: 100 }, (_, passage) =>
            Array.from({ length: 250 }, (_, word) => `word${passage * 250 + word}`).join(" ")
          )
          const index = yield* PassageIndex
          yield* index.replace({ userId, documentId: id, passages: passagesOf(...texts) })
          const written = yield* statement<{ words: number }>(
            `SELECT count(*) AS words FROM ${schema}.postings WHERE document_id = $1 GROUP BY stretch`,
            [id]
          )
          assert.strictEqual(
            written.reduce((sum, { words }) => sum + words, 0),
            25_000
          )
          assert.isAtMost(Math.max(...written.map(({ words }) => words)), 4_250)
          const [found] = yield* index.search({ userId, documentIds: [id], query: "word24999", limit: 1 })
          assert.strictEqual(found?.ordinal, 99)
        })
      )

      it.effect("a document deleted while it is indexed leaves nothing behind", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, statement } = yield* Database
          const passages = passagesOf(...Array.from({ length: 1000 }, (_, number) => `lift of wing number${number}`))
          const indexing = yield* Effect.forkChild((yield* PassageIndex).replace({ userId, documentId: id, passages }))
          yield* statement("SELECT 1")
          yield* (yield* DocumentStore).remove(userId, id)
          yield* Fiber.join(indexing)
          for (const table of TABLES) {
            const left = yield* statement(`SELECT FROM ${schema}.${table} WHERE document_id = $1`, [id])
            assert.strictEqual(left.length, 0)
          }
        })
      )

      it.effect("a second generation that is being built is neither found nor counted", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, statement } = yield* Database
          const question = { userId, documentIds: [id], query: "lift wings", limit: 10 }
          const index = yield* PassageIndex
          const before = yield* index.search(question)
          assert.strictEqual(before.length, 1)
          const copy = (table: string, columns: string) =>
            statement(
              `INSERT INTO ${schema}.${table} (user_id, document_id, generation, ${columns})
              SELECT user_id, document_id, generation + 1, ${columns} FROM ${schema}.${table} WHERE document_id = $1`,
              [id]
            )
          yield* statement(`INSERT INTO ${schema}.passage_generations VALUES ($1, $2, 2, false, 5, 50)`, [userId, id])
          yield* copy("passages", "ordinal, page, start_offset, end_offset, text, terms")
          yield* copy("postings", "term, stretch, passages, ordinals, frequencies, lengths")
          assert.deepStrictEqual(yield* index.search(question), before)
        })
      )
    }
  )
}
