import { Context, Effect, Layer } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { ExpectedCell } from "../../src/cells/administration/ExpectedCell.ts"
import { Database } from "../../src/database/Database.ts"
import { ConnectionCheck } from "../../src/database/server/ConnectionCheck.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { administer } from "../administer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const other = { id: crypto.randomUUID(), directory: crypto.randomUUID(), name: "a" }

const refusedFor = (problem: string) => ({ _tag: "DatabaseError", cause: { _tag: "CellRefused", problem } })

/** Parley's connections to a database that is checked, and a function that gives it a name past the check. */
const opened = Effect.gen(function* () {
  const url = yield* migratedPostgres
  const expected = new ExpectedCell("parley", "a")
  const checking = Layer.succeed(ConnectionCheck, expected.check)
  const layer = PgDatabaseLayer({ url, maxConnections: 2 })
  const { statement } = Context.get(yield* Layer.build(Layer.provide(layer, checking)), Database)
  const nameIt = (name: string) =>
    Effect.promise(() =>
      administer(
        `INSERT INTO parley.this_cell (id, directory, name) VALUES ('${other.id}', '${other.directory}', '${name}')`,
        new URL(url).pathname.slice(1)
      )
    )
  return { expected, nameIt, ask: statement("SELECT 1 AS one") }
})

describe.runIf(hasPostgres)("a connection for a cell whose identity is not known yet", () => {
  it("is used if the database has no name or the cell's, and refused if it has the name of another cell", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const [own, copy] = [yield* opened, yield* opened]
          for (const { ask } of [own, copy]) expect(yield* ask).toEqual([{ one: 1 }])
          yield* own.nameIt("a")
          yield* copy.nameIt("b")
          expect(yield* own.ask).toEqual([{ one: 1 }])
          for (let call = 0; call < 3; call += 1)
            expect(yield* Effect.flip(copy.ask)).toMatchObject(refusedFor("other-cell"))
          copy.expected.expectDirectory(crypto.randomUUID())
          expect(yield* Effect.flip(copy.ask)).toMatchObject(refusedFor("other-directory"))
        })
      )
    ))

  it("is used for a copy of exactly the database that is named as its source", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { ask, expected, nameIt } = yield* opened
          yield* nameIt("b")
          expected.expectCopyOf({ ...other, name: "b", id: crypto.randomUUID() })
          expect(yield* Effect.flip(ask)).toMatchObject(refusedFor("other-database"))
          expected.expectCopyOf({ ...other, name: "b" })
          expect(yield* ask).toEqual([{ one: 1 }])
        })
      )
    ))
})

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
            const expected = new ExpectedCell("parley", "a")
            const layer = PgDatabaseLayer(isCallers ? { pool } : { url, maxConnections: 2 })
            const context = yield* Layer.build(Layer.provide(layer, Layer.succeed(ConnectionCheck, expected.check)))
            const { statement } = Context.get(context, Database)
            expect(yield* statement("SELECT 1 AS one")).toEqual([{ one: 1 }])
            expected.expect(other)
            for (let call = 0; call < 3; call += 1)
              expect(yield* Effect.flip(statement("SELECT 1 AS one"))).toMatchObject(refusedFor("no-name"))
          })
        )
      ))
})
