import { newUserId } from "@parley/core/testing"
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { nameCell } from "../../src/cells/administration/identifyCell.ts"
import { cellsLayer } from "../../src/cells/cellsLayer.ts"
import { Databases } from "../../src/cells/Databases.ts"
import { openCells } from "../../src/cells/openCells.ts"
import { Database, type Row } from "../../src/database/Database.ts"
import { administer } from "../administer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const run = Effect.runPromise
const nameOf = (url: string) => new URL(url).pathname.slice(1)
const optionsOf = (first: string, second: string) => ({
  global: "first",
  cells: { first: { url: first, maxConnections: 3 }, second: { url: second, maxConnections: 3 } }
})

const withUrls = (use: (first: string, second: string, other: string) => Promise<void>) =>
  run(
    Effect.scoped(
      Effect.flatMap(Effect.all([migratedPostgres, migratedPostgres, migratedPostgres]), ([first, second, other]) =>
        Effect.promise(() => use(first, second, other))
      )
    )
  )

describe.runIf(hasPostgres)("the names of cells", { timeout: 120_000 }, () => {
  it("are given also by a program that migrates nothing", () =>
    withUrls(async (first, second, other) => {
      await (await openCells({ ...optionsOf(first, second), migrate: false })).close()
      await expect(openCells({ ...optionsOf(first, other), migrate: false })).rejects.toMatchObject({
        _tag: "CellRefused",
        problem: "no-name"
      })
    }))

  it("are not written into the directory for a database that another process gives another name", () =>
    withUrls(async (first, second) => {
      const work = Effect.gen(function* () {
        const databases = Context.get(yield* Layer.build(Layer.fresh(cellsLayer(optionsOf(first, second)))), Databases)
        yield* databases.cells?.sql.register(["first", "second"]) ?? Effect.void
        const cell = databases.cells?.configured.get("second")
        if (cell === undefined) return yield* Effect.die(new Error("There is no second cell."))
        const database = Context.get(cell.services, Database)
        const [directory] = yield* Context.get(databases.global.services, Database).statement<{ id: string }>(
          "SELECT id FROM parley.directory"
        )
        const statement: typeof database.statement = <R extends Row>(text: string, params?: ReadonlyArray<unknown>) =>
          Effect.andThen(
            text.startsWith("INSERT INTO parley.this_cell") || text.startsWith('INSERT INTO "parley".this_cell')
              ? database.statement("INSERT INTO parley.this_cell (directory, name) VALUES ($1, 'third')", [
                  directory?.id
                ])
              : Effect.void,
            database.statement<R>(text, params)
          )
        const late = { ...cell, services: Context.add(cell.services, Database, { ...database, statement }) }
        const configured = new Map([...(databases.cells?.configured ?? []), ["second", late]])
        const cells = databases.cells === undefined ? undefined : { ...databases.cells, configured }
        const naming = nameCell(late).pipe(Effect.provideService(Databases, { ...databases, cells }))
        expect(yield* Effect.flip(naming)).toMatchObject({ _tag: "CellRefused", problem: "other-cell" })
        expect(
          yield* Context.get(databases.global.services, Database).statement(
            "SELECT name FROM parley.cells WHERE database_id IS NOT NULL"
          )
        ).toEqual([])
      })
      await run(Effect.scoped(work))
    }))

  for (const isChanged of [true, false])
    it(`stay valid while programs from before them move people ${isChanged ? "" : "first"}`, () =>
      withUrls(async (first, second) => {
        const stores = await openCells({ ...optionsOf(first, second), directory: { refreshMs: 0 } })
        if (isChanged) await stores.assign("second", [1])
        const ann = newUserId()
        // The version that such a program chooses.
        const version = isChanged ? 3 : 1
        if (isChanged)
          await administer(
            `INSERT INTO parley.placements (owner, cell, version) VALUES ('${newUserId()}', 'second', 2)`,
            nameOf(first)
          )
        await administer(
          `INSERT INTO parley.placements (owner, cell, version) VALUES ('${ann}', 'second', ${version})`,
          nameOf(first)
        )
        await administer(
          `INSERT INTO parley.moved_owners (person, state, cell, version) VALUES ('${ann}', 'home', 'first', ${version})`,
          nameOf(second)
        )
        await (await openCells(optionsOf(first, second))).close()
        await stores.assign("second", [2])
        await (await openCells(optionsOf(first, second))).close()
        await stores.close()
      }))
})
