import type { NamedDatabase } from "@parley/adapters-db"
import { Effect } from "effect"
import { CellsNotConfigured, MigrationsPending } from "./commandErrors.ts"

/** A cell that does not answer in this time is not checked: what reaches its people fails by itself. */
const WITHIN = "3 seconds"

/** Fails if the configuration names no cells, and the database does not have all people. */
export const checkOnlyDatabase = Effect.gen(function* () {
  const { checkAlone, Databases, inDatabase, populatedCells } = yield* Effect.promise(
    () => import("@parley/adapters-db")
  )
  const { cells: opened, global } = yield* Databases
  if (opened !== undefined) return
  const cells = yield* inDatabase(global, populatedCells)
  yield* inDatabase(global, checkAlone)
  if (cells.length > 1 || cells.some(({ isHere }) => !isHere))
    return yield* new CellsNotConfigured({ cells: cells.map(({ name }) => name) })
})

/** Fails if a schema is older than the program, the configuration lacks cells, or a database is not the cell of its name. */
export const checkMigrated = Effect.gen(function* () {
  const { checkCell } = yield* Effect.promise(() => import("@parley/adapters-db"))
  yield* checkSchemas(checkCell)
})

/** The same with another check of each database that answers. */
export const checkSchemas = <A, E, R>(checkCell: (cell: NamedDatabase) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const adapter = yield* Effect.promise(() => import("@parley/adapters-db"))
    const { checkConfigured, configuredDatabases, inDatabase, leftAlone, pendingMigrations, refusalOf } = adapter
    const databases = yield* adapter.Databases
    const { global } = databases
    const ofGlobal = yield* pendingMigrations()
    if (ofGlobal.length > 0) return yield* new MigrationsPending({ migrations: ofGlobal })
    yield* checkOnlyDatabase
    yield* checkConfigured
    const check = (cell: NamedDatabase) =>
      Effect.gen(function* () {
        if ((yield* leftAlone(cell)) !== undefined) return
        const migrations = cell === global ? [] : yield* inDatabase(cell, pendingMigrations())
        if (migrations.length > 0) return yield* new MigrationsPending({ migrations, cell: cell.name })
        yield* checkCell(cell)
      }).pipe(
        Effect.mapError(refusalOf),
        Effect.timeoutOption(WITHIN),
        Effect.asVoid,
        Effect.catchIf(
          (error) => error instanceof adapter.DatabaseError,
          () => Effect.void
        )
      )
    yield* Effect.forEach(configuredDatabases(databases), check, { concurrency: "unbounded", discard: true })
  })
