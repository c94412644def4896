import { Effect } from "effect"
import { CellsNotConfigured, MigrationsPending } from "./commandErrors.ts"

/** A cell that does not answer in this time is not checked: what reaches its people fails by itself. */
const WITHIN = "3 seconds"

/** Fails if people are in several cells, and the configuration names none: an only database has all people. */
export const checkOnlyDatabase = Effect.gen(function* () {
  const { Databases, inDatabase, populatedCells } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const { cells: opened, global } = yield* Databases
  if (opened !== undefined) return
  const cells = yield* inDatabase(global, populatedCells)
  if (cells.length > 1) return yield* new CellsNotConfigured({ cells })
})

/** Fails if a schema is older than the program, or the configuration lacks the cells. */
export const checkMigrated = Effect.gen(function* () {
  const { DatabaseError, Databases, inDatabase, pendingMigrations } = yield* Effect.promise(
    () => import("@parley/adapters-db")
  )
  const { all, global } = yield* Databases
  const ofGlobal = yield* pendingMigrations()
  if (ofGlobal.length > 0) return yield* new MigrationsPending({ migrations: ofGlobal })
  yield* checkOnlyDatabase
  const cells = all.filter((database) => database !== global)
  const check = (cell: (typeof cells)[number]) =>
    Effect.gen(function* () {
      const migrations = yield* inDatabase(cell, pendingMigrations()).pipe(
        Effect.timeout(WITHIN),
        Effect.catchIf(
          (error) => error instanceof DatabaseError || error._tag === "TimeoutError",
          () => Effect.succeed([])
        )
      )
      if (migrations.length > 0) return yield* new MigrationsPending({ migrations, cell: cell.name })
    })
  yield* Effect.forEach(cells, check, { concurrency: "unbounded", discard: true })
})
