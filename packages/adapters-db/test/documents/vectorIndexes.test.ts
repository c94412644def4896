import { Deferred, Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  buildVectorIndex,
  Database,
  DatabaseOwner,
  dropVectorIndexes,
  findVectorIndexes,
  PgDatabaseLayer
} from "../../src/index.ts"
import type { DatabaseError } from "../../src/database/Database.ts"
import type { OwnerSql } from "../../src/database/DatabaseOwner.ts"
import { forPurpose } from "../../src/database/limits.ts"
import { builtOnce } from "../builtOnce.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"
import { DIMENSIONS, fill, MODEL } from "./vectorSearch.ts"

const MODELS = { model: MODEL, dimensions: DIMENSIONS }
const stateOf = (model = MODEL) => Effect.map(findVectorIndexes(model), ({ current }) => current?.state)

describe.skipIf(!hasPostgres)("The index over embeddings on Postgres", () => {
  const filled = builtOnce(
    Layer.effectDiscard(Effect.orDie(fill({ userId: "ann", first: 0, documents: 1 }))).pipe(
      Layer.provideMerge(
        Layer.unwrap(Effect.map(migratedPostgres, (url) => PgDatabaseLayer({ url, maxConnections: 5 })))
      )
    )
  )
  /** Runs `work` and leaves no index. */
  const run = <A, E>(work: Effect.Effect<A, E, Database | DatabaseOwner>) =>
    Effect.runPromise(
      Effect.provide(
        Effect.ensuring(work, Effect.orDie(dropVectorIndexes({ model: MODEL, all: true, dryRun: false }))),
        filled
      )
    )

  /** Runs `work` while another session writes embeddings, for which a build waits. */
  const besideWriter = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { schema, asService } = yield* Database
      const begun = yield* Deferred.make<void>()
      const over = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(
        asService((sql) =>
          Effect.gen(function* () {
            yield* sql.query(`DELETE FROM ${schema}.passage_embeddings WHERE user_id = 'nobody'`)
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(over)
          })
        ).pipe(forPurpose("building"))
      )
      yield* Deferred.await(begun)
      return yield* Effect.ensuring(work, Effect.andThen(Deferred.succeed(over, undefined), Fiber.await(writer)))
    })

  const until = (
    isRight: (state: string | undefined) => boolean
  ): Effect.Effect<void, never, Database | DatabaseOwner> =>
    Effect.flatMap(Effect.orDie(stateOf()), (state) =>
      isRight(state) ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(isRight))
    )

  /** The statement that makes the index, and its name. Leaves none. */
  const definitionOf = Effect.gen(function* () {
    const { schema } = yield* Database
    const { execute } = yield* DatabaseOwner
    yield* buildVectorIndex(MODELS)
    const [made] = yield* execute(
      `SELECT pg_get_indexdef(to_regclass('${schema}.' || name)) AS text, name FROM ${schema}.vector_index($1) AS name`,
      [MODEL]
    )
    yield* dropVectorIndexes({ model: MODEL, all: true, dryRun: false })
    return [String(made?.["text"]), String(made?.["name"])]
  })

  it("is built once, said of by its model, and taken away by name of what is configured", () =>
    run(
      Effect.gen(function* () {
        expect(yield* stateOf()).toBe(undefined)
        expect([yield* buildVectorIndex(MODELS), yield* buildVectorIndex(MODELS)]).toEqual([true, false])
        const { current, others, pgvector } = yield* findVectorIndexes(MODEL)
        expect([current, others]).toMatchObject([{ model: MODEL, state: "valid", passages: 60 }, []])
        expect(pgvector).toMatch(/^\d+\.\d+/)
        // Of another model it is a leftover.
        expect(yield* findVectorIndexes("other's/model/8")).toMatchObject({
          current: undefined,
          others: [{ model: MODEL }]
        })
        expect(yield* dropVectorIndexes({ model: MODEL, all: false, dryRun: false })).toEqual([])
        expect(yield* dropVectorIndexes({ model: "other's/model/8", all: false, dryRun: true })).toMatchObject([
          { model: MODEL }
        ])
        expect(yield* stateOf()).toBe("valid")
        yield* dropVectorIndexes({ model: undefined, all: false, dryRun: false })
        expect(yield* stateOf()).toBe(undefined)
      })
    ))

  it("of a model with a quote in its name is that model's", () =>
    run(
      Effect.gen(function* () {
        const model = "o'brien/it''s/8"
        expect(yield* buildVectorIndex({ model, dimensions: 8 })).toBe(true)
        expect((yield* findVectorIndexes(model)).current).toMatchObject({ model, state: "valid", passages: 0 })
      })
    ))

  it("has embeddings of more than 2,000 numbers in half precision, and is refused above 4,000", () =>
    run(
      Effect.gen(function* () {
        expect(yield* buildVectorIndex({ model: "wide/4000", dimensions: 4_000 })).toBe(true)
        expect(yield* stateOf("wide/4000")).toBe("valid")
        const refused = yield* Effect.flip(buildVectorIndex({ model: "wide/4001", dimensions: 4_001 }))
        expect(refused).toMatchObject({ problem: "too-many-dimensions" })
      })
    ))

  it("is not built twice at once, and the second request fails with the reason", () =>
    run(
      Effect.gen(function* () {
        yield* besideWriter(
          Effect.gen(function* () {
            const building = yield* Effect.forkChild(buildVectorIndex(MODELS))
            yield* until((state) => state === "building")
            expect(yield* Effect.flip(buildVectorIndex(MODELS))).toMatchObject({ problem: "building" })
            expect(yield* dropVectorIndexes({ model: MODEL, all: true, dryRun: false })).toEqual([])
            return building
          })
        ).pipe(Effect.flatMap((building) => Fiber.join(building)))
        expect(yield* stateOf()).toBe("valid")
      })
    ))

  /** Runs `work` until it waits for a lock, and `replace` before it; returns the result. */
  const replacedMeanwhile = <A, E, R>(
    work: Effect.Effect<A, E, R>,
    replace: (sql: OwnerSql) => Effect.Effect<void, DatabaseError>
  ) =>
    Effect.gen(function* () {
      const { schema } = yield* Database
      const { asOwner, execute } = yield* DatabaseOwner
      const waits: Effect.Effect<void, DatabaseError> = Effect.flatMap(
        execute(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'relation'"
        ),
        (waiting) => (waiting.length > 0 ? Effect.void : waits)
      )
      const working = yield* asOwner((sql) =>
        Effect.gen(function* () {
          yield* sql.script(`LOCK TABLE ${schema}.passage_embeddings IN SHARE UPDATE EXCLUSIVE MODE`)
          const fiber = yield* Effect.forkChild(work)
          yield* Effect.raceFirst(waits, Effect.asVoid(Fiber.await(fiber)))
          yield* replace(sql)
          return fiber
        })
      ).pipe(forPurpose("building"))
      return yield* Fiber.join(working)
    })

  it("who looked before another build and waited for that whole finds its index there", () =>
    run(
      Effect.gen(function* () {
        const [create = ""] = yield* definitionOf
        let begun = false
        const onBegin = Effect.sync(() => void (begun = true))
        expect(yield* replacedMeanwhile(buildVectorIndex({ ...MODELS, onBegin }), (sql) => sql.script(create))).toBe(
          false
        )
        expect([begun, yield* stateOf()]).toEqual([false, "valid"])
      })
    ))

  it("one that was invalid and has been replaced by a whole one is not taken away, nor said to be", () =>
    run(
      Effect.gen(function* () {
        const [create = "", name = ""] = yield* definitionOf
        const { schema } = yield* Database
        const { execute } = yield* DatabaseOwner
        yield* execute(create)
        yield* execute(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${schema}.${name}'::regclass`)
        expect(yield* stateOf()).toBe("invalid")
        const replace = (sql: OwnerSql) => sql.script(`DROP INDEX ${schema}.${name}; ${create}`)
        const drop = dropVectorIndexes({ model: MODEL, all: false, dryRun: false })
        expect(yield* replacedMeanwhile(drop, replace)).toEqual([])
        expect(yield* findVectorIndexes(MODEL)).toMatchObject({ current: { state: "valid" }, others: [] })
        // If no other session did, it is.
        yield* execute(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${schema}.${name}'::regclass`)
        expect(yield* drop).toMatchObject([{ name, state: "invalid" }])
        expect(yield* findVectorIndexes(MODEL)).toMatchObject({ current: undefined, others: [] })
      })
    ))

  it("ends in the server where its building is interrupted; what that leaves is not searched, and the next build replaces it", () =>
    run(
      Effect.gen(function* () {
        yield* besideWriter(
          Effect.gen(function* () {
            const building = yield* Effect.forkChild(buildVectorIndex(MODELS))
            yield* until((state) => state === "building")
            yield* Fiber.interrupt(building)
            expect(yield* stateOf()).toBe("invalid")
          })
        )
        const { schema, statement } = yield* Database
        const serves = `SELECT ${schema}.vector_index_serves('ann', ARRAY(SELECT id FROM ${schema}.documents), $1, 0) AS serves`
        expect(yield* statement(serves, [MODEL])).toEqual([{ serves: false }])
        expect(yield* buildVectorIndex(MODELS)).toBe(true)
        expect(yield* findVectorIndexes(MODEL)).toMatchObject({ current: { state: "valid" }, others: [] })
        expect(yield* statement(serves, [MODEL])).toEqual([{ serves: true }])
      })
    ))

  it("is refused by a database that has no pgvector, and where it is too old", () =>
    run(
      Effect.gen(function* () {
        const { execute } = yield* DatabaseOwner
        const { schema } = yield* Database
        yield* execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        expect(yield* Effect.flip(buildVectorIndex(MODELS))).toMatchObject({ problem: "pgvector-old" })
        yield* execute("DROP EXTENSION vector CASCADE")
        expect(yield* Effect.flip(buildVectorIndex(MODELS))).toMatchObject({ problem: "pgvector-missing" })
        expect(yield* findVectorIndexes(MODEL)).toEqual({ pgvector: undefined, current: undefined, others: [] })
        yield* execute(`CREATE EXTENSION vector WITH SCHEMA ${schema}`)
      })
    ))
})
