import { passagePorts } from "./passagePorts.ts"
import { assert, layer as suite } from "@effect/vitest"
import { DocumentStore, InMemoryDocumentStore, InMemoryPassageIndex, verifyPassages } from "@parley/core/adapter"
import {
  ampleQuota,
  indexPassages,
  newDocument,
  newUserId,
  passageIndexContract,
  passagesOf
} from "@parley/core/testing"
import { Effect, Fiber, Layer } from "effect"
import { Database, PgDocumentStoreLayer, PgPassageIndexLayer } from "../../src/index.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

const TABLES = ["passage_generations", "document_texts", "passages", "postings"] as const
const inMemory = InMemoryPassageIndex.layer.pipe(Layer.provideMerge(InMemoryDocumentStore.layer))
for (const { name, layer: database } of databases) {
  const layer = builtOnce(database)
  const stores = Layer.mergeAll(PgPassageIndexLayer, PgDocumentStoreLayer)
  passageIndexContract(name, stores.pipe(Layer.provide(layer)))

  suite(stores.pipe(Layer.provideMerge(layer)), { excludeTestServices: true, timeout: "120 seconds" })(
    `The tables of passages on ${name}`,
    (it) => {
      const indexed = Effect.gen(function* () {
        const document = newDocument(newUserId())
        yield* (yield* DocumentStore).insert(document, ampleQuota)
        const passages = passagesOf("lift of wings", "drag of bodies")
        yield* indexPassages({ userId: document.userId, documentId: document.id }, passages)
        return document
      })
      const rows = Effect.fnUntraced(function* (table: string, reader: string, documentId: string) {
        const { schema, asUser } = yield* Database
        const text = `SELECT FROM ${schema}.${table} WHERE document_id = $1`
        return (yield* asUser(reader, (sql) => sql.query(text, [documentId]))).length
      })

      it.effect("a text with marks that stand on no letter is indexed and found by its words", () =>
        Effect.gen(function* () {
          const index = yield* passagePorts
          const { id: documentId, userId } = newDocument(newUserId())
          yield* (yield* DocumentStore).insert(newDocument(userId, { id: documentId }), ampleQuota)
          yield* indexPassages(
            { userId, documentId },
            passagesOf("lift \u0363 wing", "1\u036f \u0345 \u65e5\u0363 drag")
          )
          for (const [query, ordinal] of [
            ["lift \u0363", 0],
            ["\u0345 drag", 1],
            ["\u65e5\u0363", 1]
          ] as const) {
            const found = yield* index.search({ userId, documentIds: [documentId], query, limit: 10 })
            assert.deepStrictEqual(
              found.map((passage) => passage.ordinal),
              [ordinal]
            )
          }
          const marks = { userId, documentIds: [documentId], query: "\u0363 \u0345", limit: 10 }
          assert.deepStrictEqual(yield* index.search(marks), [])
        })
      )

      it.effect("the owner sees rows in each, no other person does, and deleting the document leaves none", () =>
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
          const indexing = yield* Effect.forkChild(indexPassages({ userId, documentId: id }, passages))
          let served = 0
          while (indexing.pollUnsafe() === undefined) {
            yield* statement("SELECT 1")
            served += 1
          }
          assert.isAbove(served, 4)
        })
      )

      it.effect("postings are rows that fit their pages, also of a text that repeats no word", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, statement } = yield* Database
          const texts = Array.from({ length: 100 }, (_, passage) =>
            Array.from({ length: 250 }, (_, word) => `word${passage * 250 + word}`).join(" ")
          )
          const index = yield* passagePorts
          yield* indexPassages({ userId, documentId: id }, passagesOf(...texts))
          const [written] = yield* statement<{ lexemes: number; longest: number }>(
            `SELECT sum(length(lexemes)) AS lexemes, max(pg_column_size(p.*)) AS longest FROM ${schema}.postings p
             WHERE document_id = $1`,
            [id]
          )
          assert.strictEqual(Number(written?.lexemes), 25_000)
          assert.isAtMost(Number(written?.longest), 8_000)
          const [found] = yield* index.search({ userId, documentIds: [id], query: "word24999", limit: 1 })
          assert.strictEqual(found?.ordinal, 99)
        })
      )

      it.effect(
        "a word that a passage has hundreds of times, and one longer than a lexeme, are ranked as the plain model does",
        () =>
          Effect.gen(function* () {
            const userId = newUserId()
            const long = "x".repeat(1_100)
            const texts = [
              "haha ".repeat(300),
              `${"haha ".repeat(127)}lift`,
              `${"haha ".repeat(126)}drag`,
              `haha ${"slat ".repeat(130)}`,
              `${long} haha`,
              "wing"
            ]
            const searched = Effect.gen(function* () {
              const index = yield* passagePorts
              const document = newDocument(userId)
              yield* (yield* DocumentStore).insert(document, ampleQuota)
              yield* indexPassages({ userId, documentId: document.id }, passagesOf(...texts))
              return yield* Effect.forEach(["haha", "slat", long], (query) =>
                Effect.map(index.search({ userId, documentIds: [document.id], query, limit: 10 }), (found) =>
                  found.map(({ ordinal, score }) => `${ordinal} ${score.toFixed(6)}`)
                )
              )
            })
            const expected = yield* Effect.provide(searched, inMemory)
            assert.deepStrictEqual(
              expected.map((found) => found.length),
              [5, 1, 1]
            )
            assert.deepStrictEqual(yield* searched, expected)
          })
      )

      it.effect("what is searched is counted when there is much of it, and before that found all the same", () =>
        Effect.gen(function* () {
          const userId = newUserId()
          const { schema, statement } = yield* Database
          const index = yield* passagePorts
          const uncounted = statement<{ generations: number; words: number }>(
            `SELECT count(*) AS generations, (SELECT count(*) FROM ${schema}.term_statistics WHERE user_id = $1) AS words
             FROM ${schema}.passage_generations WHERE user_id = $1 AND active AND NOT counted`,
            [userId]
          )
          const put = Effect.fnUntraced(function* (first: number, words: number) {
            const document = newDocument(userId)
            yield* (yield* DocumentStore).insert(document, ampleQuota)
            const text = Array.from({ length: words }, (_, word) => `word${first + word}`).join(" ")
            yield* index.put({
              ...{ userId, documentId: document.id, fingerprint: "any" },
              ...{ parsed: { text, pageStarts: null }, passages: passagesOf(text) }
            })
            const found = yield* index.search({ userId, documentIds: [document.id], query: `word${first}`, limit: 1 })
            assert.deepStrictEqual(
              found.map((passage) => passage.text),
              [text]
            )
          })
          yield* put(0, 4_000)
          assert.deepStrictEqual(yield* uncounted, [{ generations: 1, words: 0 }])
          yield* put(1_000, 7_000)
          assert.deepStrictEqual(yield* uncounted, [{ generations: 2, words: 0 }])
          yield* put(0, 7_000)
          assert.deepStrictEqual(yield* uncounted, [{ generations: 0, words: 8_000 }])
          yield* put(0, 1)
          assert.deepStrictEqual(yield* uncounted, [{ generations: 1, words: 8_000 }])
        })
      )

      it.effect("a document deleted while it is indexed leaves nothing behind", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, statement } = yield* Database
          const passages = passagesOf(...Array.from({ length: 1000 }, (_, number) => `lift of wing number${number}`))
          const indexing = yield* Effect.forkChild(indexPassages({ userId, documentId: id }, passages))
          yield* statement("SELECT 1")
          yield* (yield* DocumentStore).remove(userId, id)
          assert.strictEqual((yield* Effect.flip(Fiber.join(indexing)))._tag, "GenerationGone")
          for (const table of TABLES) {
            const left = yield* statement(`SELECT FROM ${schema}.${table} WHERE document_id = $1`, [id])
            assert.strictEqual(left.length, 0)
          }
        })
      )

      it.effect("what is changed behind the index is found by comparing text and passages", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const { schema, statement } = yield* Database
          const index = yield* passagePorts
          const problems = Effect.map(index.read({ userId, documentId: id }), (stored) =>
            stored === undefined ? undefined : verifyPassages(stored).map(({ _tag }) => _tag)
          )
          assert.deepStrictEqual(yield* problems, [])
          for (const [change, undo, found] of [
            [
              "document_texts SET text = replace(text, 'wings', 'words')",
              "text = replace(text, 'words', 'wings')",
              ["TextDiffers"]
            ],
            ["passages SET text = text || '.'", "text = rtrim(text, '.')", ["TextDiffers", "TextDiffers"]],
            ["passages SET page = ordinal + 1", "page = NULL", ["PageDiffers", "PageDiffers"]]
          ] as const) {
            const table = change.split(" ", 1)[0]
            yield* statement(`UPDATE ${schema}.${change} WHERE user_id = $1 AND document_id = $2`, [userId, id])
            assert.deepStrictEqual(yield* problems, [...found])
            yield* statement(`UPDATE ${schema}.${table} SET ${undo} WHERE user_id = $1 AND document_id = $2`, [
              userId,
              id
            ])
            assert.deepStrictEqual(yield* problems, [])
          }
          yield* statement(`DELETE FROM ${schema}.passages WHERE user_id = $1 AND document_id = $2 AND ordinal = 1`, [
            userId,
            id
          ])
          assert.deepStrictEqual(yield* problems, ["NotCovered"])
        })
      )

      it.effect("a second generation that is being built is neither found nor counted", () =>
        Effect.gen(function* () {
          const { userId, id } = yield* indexed
          const question = { userId, documentIds: [id], query: "lift wings", limit: 10 }
          const index = yield* passagePorts
          const before = yield* index.search(question)
          assert.strictEqual(before.length, 1)
          const parsed = { text: "lift wings lift", pageStarts: null }
          const generation = yield* index.begin({ userId, documentId: id, parsed, fingerprint: "second" })
          yield* index.add(generation, passagesOf("lift wings lift"))
          assert.deepStrictEqual(yield* index.search(question), before)
        })
      )
    }
  )
}
