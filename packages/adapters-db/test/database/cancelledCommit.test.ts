import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"
import { FaultyWire } from "../faults/FaultyWire.ts"

/** A database by way of a wire, with the least of connections, so that one that is given back is the next one taken. */
const openByWire = Effect.gen(function* () {
  const url = yield* migratedPostgres
  const wire = yield* Effect.acquireRelease(
    Effect.promise(() => FaultyWire.open(url)),
    (opened) => Effect.promise(() => opened[Symbol.asyncDispose]())
  )
  const context = yield* Layer.build(PgDatabaseLayer({ url: wire.through(url), maxConnections: 2 }))
  return { wire, database: Context.get(context, Database) }
})

type Service = Database["Service"]

const ways: ReadonlyArray<readonly [string, (database: Service) => Effect.Effect<unknown, unknown>]> = [
  ["a transaction", ({ asService }) => asService((sql) => sql.query("SELECT 1 AS one"))],
  ["a statement that is a transaction", ({ statement }) => statement("SELECT 1 AS one")]
]

describe.runIf(hasPostgres)("a COMMIT that is cancelled before it begins", () => {
  for (const [name, use] of ways) {
    it(`leaves no connection inside ${name}: the next borrower's work is done`, () =>
      Effect.gen(function* () {
        const { wire, database } = yield* openByWire
        wire.start()
        yield* use(database)
        const commit = wire.requests.indexOf("COMMIT")
        expect(commit).toBeGreaterThan(0)
        wire.start(new Map([[commit, "cancelled"]]))
        expect(yield* Effect.flip(use(database))).toMatchObject({ sqlState: "57014", retryable: true })
        for (const [, next] of ways) expect(yield* next(database)).toEqual([{ one: 1 }])
      }).pipe(Effect.scoped, Effect.runPromise))
  }
})
