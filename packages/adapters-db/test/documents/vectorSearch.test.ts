import type { PassageWriter } from "@parley/core/adapter"
import { DocumentStore, PassageEmbedder, type PassageIndex } from "@parley/core/adapter"
import { newUserId, passageMeaningContract } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  buildVectorIndex,
  Database,
  DatabaseOwner,
  ExactSearchPassages,
  PgDocumentStoreLayer,
  PgPassageIndexLayer
} from "../../src/index.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"
import { DIMENSIONS, fill, found, idOf, indexVectors, MODEL, nearest, PASSAGES, storesWithin } from "./vectorSearch.ts"

const LIMIT = 10
const QUESTIONS = 20
const DOCUMENTS = 10
/** A hundredth of all passages. */
const FEW = 18

/** A search, and the number of its uses of the approximate index, according to its connection's own counters. */
const counted = <A, E, R>(search: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { schema, statement, unitOfWork } = yield* Database
    const text = `SELECT coalesce(sum(pg_stat_get_xact_numscans(indexrelid)), 0)::integer AS scans FROM pg_index
      WHERE indexrelid = to_regclass('${schema}.' || ${schema}.vector_index($1))`
    return yield* unitOfWork(
      Effect.gen(function* () {
        const scans = Effect.map(statement<{ scans: number }>(text, [MODEL]), ([row]) => Number(row?.scans))
        const before = yield* scans
        const rows = yield* search
        return { rows, scans: (yield* scans) - before }
      })
    )
  })

/** Runs `work` in a transaction that is undone at its end. */
const undone = <R>(work: Effect.Effect<void, unknown, R>) =>
  Effect.gen(function* () {
    const { unitOfWork } = yield* Database
    const undo = Symbol("undo")
    expect(yield* Effect.flip(unitOfWork(Effect.andThen(work, Effect.fail(undo))))).toBe(undo)
  })

/** Changes an operator's rights, within its transaction: `$index` and `$schema` stand for the names. */
const changing = (text: string) =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const { asOwner } = yield* DatabaseOwner
    const [row] = yield* statement<{ name: string }>(`SELECT ${schema}.vector_index($1) AS name`, [MODEL])
    const index = `${schema}.${row?.name}`
    yield* asOwner((sql) => sql.script(text.replaceAll("$index", index).replaceAll("$schema", schema)))
  })

/** Has the database know nothing of how many passages are in the index, so that any part of them is worth a scan. */
const ofUnknownSize = changing("UPDATE pg_class SET reltuples = 0 WHERE oid = to_regclass('$index')")

for (const { name, layer: database } of databases) {
  describe(`Searches through an approximate index on ${name}`, () => {
    const layer = builtOnce(database)
    /** Ann has a third of all passages, Bob a thirtieth, Cid a hundredth, Eve the others. */
    const libraries = builtOnce(
      Layer.effectDiscard(
        Effect.gen(function* () {
          yield* fill({ userId: "ann", first: 0, documents: DOCUMENTS })
          yield* fill({ userId: "bob", first: 100, documents: 1 })
          yield* fill({ userId: "cid", first: 400, documents: 1, passages: FEW })
          yield* fill({ userId: "eve", first: 200, documents: 2, passages: 600 })
          yield* indexVectors()
        }).pipe(Effect.orDie)
      ).pipe(Layer.provideMerge(layer))
    )
    const all = Array.from({ length: DOCUMENTS }, (_, number) => number)
    const run = <A, E>(
      work: Effect.Effect<A, E, Database | DatabaseOwner | DocumentStore | PassageIndex | PassageWriter>,
      exactWithin: number
    ) => Effect.runPromise(Effect.provide(work, Layer.provideMerge(storesWithin(exactWithin), libraries)))

    it("a library larger than what is compared goes through it: as many are found, and nearly all of the nearest", () =>
      run(
        Effect.gen(function* () {
          let hits = 0
          for (let question = 0; question < QUESTIONS; question++) {
            const { rows, scans } = yield* counted(found("ann", all.map(idOf), question, LIMIT))
            expect([scans, rows.length]).toEqual([1, LIMIT])
            const exact = nearest(all, question, LIMIT)
            hits += rows.filter((row) => exact.includes(row)).length
            // Passages found by both are in their places: they are compared exactly in the end.
            expect(rows.filter((row) => exact.includes(row))).toEqual(exact.filter((row) => rows.includes(row)))
          }
          expect(hits / (LIMIT * QUESTIONS)).toBeGreaterThanOrEqual(0.95)
        }),
        DOCUMENTS * PASSAGES - 1
      ))

    it("up to that size all are compared, even with an index, and the nearest of all are found", () =>
      run(
        Effect.gen(function* () {
          for (const named of [all, all.slice(0, 5), [3]]) {
            const { rows, scans } = yield* counted(found("ann", named.map(idOf), 7, LIMIT))
            expect([scans, rows]).toEqual([0, nearest(named, 7, LIMIT)])
          }
        }),
        DOCUMENTS * PASSAGES
      ))

    it("of an owner who has little of what is in it, all are compared: as many are found as there are", () =>
      run(
        Effect.gen(function* () {
          for (const limit of [LIMIT, 50, 200]) {
            const { rows, scans } = yield* counted(found("bob", [idOf(100)], 3, limit))
            expect([scans, rows]).toEqual([0, nearest([100], 3, Math.min(limit, 50))])
          }
        }),
        0
      ))

    it("beside a person with nearly all indexed passages, all of an owner's hundredth are found", () =>
      run(
        Effect.gen(function* () {
          const { schema, statement } = yield* Database
          const [part] = yield* statement<{ owned: number }>(
            `SELECT (count(*) FILTER (WHERE user_id = 'cid'))::float8 / count(*) AS owned FROM ${schema}.passage_embeddings`
          )
          expect(part?.owned).toBeLessThanOrEqual(0.01)
          for (const [limit, question] of [1, LIMIT, FEW, 50].flatMap((limit) => [2, 9].map((each) => [limit, each]))) {
            const { rows, scans } = yield* counted(found("cid", [idOf(400)], question ?? 0, limit ?? 0))
            const exact = nearest([400], question ?? 0, limit ?? 0, FEW)
            expect([scans, rows]).toEqual([0, exact])
            expect(rows.length).toBe(Math.min(limit ?? 0, nearest([400], question ?? 0, FEW, FEW).length))
          }
        }),
        0
      ))

    it("where a scan ends before it found as many as are wanted, all are compared", () =>
      run(
        undone(
          Effect.gen(function* () {
            yield* ofUnknownSize
            // Nearly all of the first hundred passages of a scan belong to another person.
            yield* changing(`ALTER FUNCTION $schema.near_by_index SET hnsw.max_scan_tuples = 1`)
            const { rows, scans } = yield* counted(found("bob", [idOf(100)], 3, LIMIT))
            expect([scans, rows]).toEqual([1, nearest([100], 3, LIMIT)])
          })
        ),
        0
      ))

    it("a scan goes on past what belongs to others, and finds as many of one's own", () =>
      run(
        undone(
          Effect.gen(function* () {
            yield* ofUnknownSize
            const { rows, scans } = yield* counted(found("bob", [idOf(100)], 3, LIMIT))
            expect([scans, rows.length]).toEqual([1, LIMIT])
            const exact = nearest([100], 3, LIMIT)
            expect(rows.filter((row) => exact.includes(row)).length).toBeGreaterThanOrEqual(LIMIT - 1)
          })
        ),
        0
      ))

    it.each([
      ["is not there", "DROP INDEX $index"],
      ["was not built to the end", "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('$index')"]
    ])("where the index %s, all are compared", (_, change) =>
      run(
        undone(
          Effect.gen(function* () {
            yield* changing(change)
            const { rows, scans } = yield* counted(found("ann", all.map(idOf), 5, LIMIT))
            expect([scans, rows]).toEqual([0, nearest(all, 5, LIMIT)])
          })
        ),
        0
      )
    )

    it("nothing is found of a foreign, an unnamed, a deleted or an unready document, nor where none is named", () =>
      run(
        undone(
          Effect.gen(function* () {
            yield* ofUnknownSize
            const search = (userId: string, documents: ReadonlyArray<number>) =>
              counted(found(userId, documents.map(idOf), 11, 1000))
            const within = (rows: ReadonlyArray<string>, documents: ReadonlyArray<number>) =>
              rows.filter((row) => !documents.some((document) => row.startsWith(idOf(document))))
            const own = [0, 1, 2]

            // Foreign ones beside one's own, unnamed ones of one's own.
            const beside = yield* search("ann", [...own, 100, 200, 201])
            expect([beside.scans, beside.rows.length, within(beside.rows, own)]).toEqual([1, 50, []])
            // Only those of other owners.
            for (const userId of ["ann", "bob", newUserId()]) {
              expect((yield* search(userId, [200, 201])).rows).toEqual([])
            }
            expect(yield* found("ann", [], 11, 1000)).toEqual([])
            // One that is being indexed.
            yield* fill({ userId: "ann", first: 300, documents: 2, active: false })
            const unready = yield* search("ann", [...own, 300, 301])
            expect([unready.rows.length, within(unready.rows, own)]).toEqual([50, []])
            // One that is gone.
            yield* (yield* DocumentStore).remove("ann", idOf(0))
            const after = yield* search("ann", own)
            expect([after.rows.length, within(after.rows, [1, 2])]).toEqual([50, []])
          })
        ),
        0
      ))

    it("what a search sets for its scan is as before when it ends", () =>
      run(
        Effect.gen(function* () {
          const { statement, unitOfWork } = yield* Database
          const settings = ["hnsw.iterative_scan", "hnsw.ef_search", "enable_sort", "enable_seqscan", "search_path"]
          const shown = statement(`SELECT ${settings.map((each) => `current_setting('${each}') AS "${each}"`).join()}`)
          yield* unitOfWork(
            Effect.gen(function* () {
              // The first has pgvector loaded, which has its settings then.
              yield* found("ann", [idOf(1)], 5, LIMIT)
              const before = yield* shown
              expect((yield* counted(found("ann", all.map(idOf), 5, LIMIT))).scans).toBe(1)
              expect(yield* shown).toEqual(before)
              expect(before[0]).toMatchObject({ "hnsw.iterative_scan": "off", "hnsw.ef_search": "40" })
            })
          )
        }),
        0
      ))
  })

  if (name === "PGlite") {
    it("an index is not built on the embedded database, with a message that names the alternative", async () => {
      const refused = await Effect.runPromise(
        Effect.flip(Effect.provide(buildVectorIndex({ model: MODEL, dimensions: DIMENSIONS }), database))
      )
      expect(refused).toMatchObject({ _tag: "VectorIndexRefused", problem: "embedded" })
      expect(refused.message).toContain("DATABASE_URL")
    })
  }

  const indexed = builtOnce(
    Layer.effectDiscard(indexVectors("scripted/meanings/5", 5).pipe(Effect.orDie)).pipe(Layer.provideMerge(database))
  )
  passageMeaningContract(`${name}, beside an approximate index for any size`, (embedder) =>
    Layer.mergeAll(Layer.fresh(PgPassageIndexLayer), PgDocumentStoreLayer).pipe(
      Layer.provide(Layer.succeed(PassageEmbedder, embedder)),
      Layer.provide(Layer.succeed(ExactSearchPassages, 0)),
      Layer.provide(indexed)
    )
  )
}
