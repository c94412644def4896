import { Context, Effect, Layer } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { ExpectedCell } from "../../src/cells/administration/ExpectedCell.ts"
import { Database } from "../../src/database/Database.ts"
import { ConnectionCheck } from "../../src/database/server/ConnectionCheck.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const other = { id: crypto.randomUUID(), directory: crypto.randomUUID(), name: "a" }
const refused = { _tag: "DatabaseError", cause: { _tag: "CellRefused", problem: "no-name" } }

describe.runIf(hasPostgres)("a connection to another database than the cell", () => {
  for (const isCallers of [false, true])
    it(`is used no more once the cell is known, from ${isCallers ? "the application's pool" : "Parley's own"}`, () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const url = yield* migratedPostgres
            const pool = yield* Effect.acquireRelease(
              Effect.sync(() => new pg.Pool({ connectionString: url, max: 2 })),
              (opened) => Effect.promise(() => opened.end())
            )
            const expected = new ExpectedCell("parley")
            const layer = PgDatabaseLayer(isCallers ? { pool } : { url, maxConnections: 2 })
            const context = yield* Layer.build(Layer.provide(layer, Layer.succeed(ConnectionCheck, expected.check)))
            const { statement } = Context.get(context, Database)
            expect(yield* statement("SELECT 1 AS one")).toEqual([{ one: 1 }])
            expected.expect(other)
            for (let call = 0; call < 3; call += 1)
              expect(yield* Effect.flip(statement("SELECT 1 AS one"))).toMatchObject(refused)
          })
        )
      ))
})
