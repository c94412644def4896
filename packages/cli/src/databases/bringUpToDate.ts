import {
  beginDirectory,
  DatabaseError,
  Databases,
  fenceCell,
  inDatabase,
  migrate,
  type NamedDatabase,
  pendingMigrations
} from "@parley/adapters-db"
import { Effect, Schedule } from "effect"
import { mendDirectory } from "./mendDirectory.ts"
import { checkOnlyDatabase } from "../running/checkMigrated.ts"

const AGAIN = "5 seconds"

/** Applies the missing migrations, which takes seconds on an empty database: the log has a line before them and one after. */
const bringUpToDate = (name: string) =>
  Effect.gen(function* () {
    const pending = yield* pendingMigrations()
    if (pending.length > 0) yield* Effect.logInfo(`Bringing ${name} up to date: ${pending.length} migrations.`)
    const applied = yield* migrate()
    if (applied.length > 0) yield* Effect.logInfo(`Brought ${name} up to date: ${applied.join(", ")}.`)
  })

const nameOf = ({ name }: NamedDatabase, isOneOfSeveral: boolean): string =>
  isOneOfSeveral ? `the database ${name}` : "the database"

const warn = (message: string, cell: string) =>
  Effect.annotateLogs(Effect.logWarning(message), { reason: "cell_unavailable", cell })

/**
 * Brings every database up to date, the global one first, and the directory with it. Returns the names of the cells that do
 * not answer: a server starts without them.
 */
export const bringAllUpToDate = Effect.gen(function* () {
  const { all, cells, global } = yield* Databases
  const absent: Array<string> = []
  for (const database of all) {
    const work = Effect.andThen(
      inDatabase(database, bringUpToDate(nameOf(database, cells !== undefined))),
      fenceCell(database)
    )
    if (database === global) yield* work
    else {
      yield* Effect.catchIf(
        work,
        (error) => error instanceof DatabaseError,
        () => Effect.sync(() => void absent.push(database.name))
      )
    }
  }
  yield* checkOnlyDatabase
  yield* beginDirectory
  yield* mendDirectory
  for (const name of absent) yield* warn("A cell does not answer. Its people wait until it does.", name)
  yield* warnOfDirectory
  return absent
})

/** Cells that only the configuration or only the directory knows. */
const warnOfDirectory = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells === undefined) return
  const listed = yield* cells.sql.list
  for (const { buckets, name, placements } of listed) {
    if (cells.byName.has(name) || buckets + placements === 0) continue
    yield* warn("The directory has people in a cell that PARLEY_CELLS does not name. Their requests fail.", name)
  }
  for (const name of cells.byName.keys()) {
    if (listed.some((cell) => cell.name === name)) continue
    yield* warn('A cell of PARLEY_CELLS is not in the directory. Add it with "parley cells add".', name)
  }
})

/** Brings a cell that was away up to date when it answers. */
export const bringUpToDateLater = (name: string) =>
  Effect.gen(function* () {
    const cell = (yield* Databases).cells?.byName.get(name)
    if (cell === undefined) return
    yield* Effect.retry(Effect.andThen(inDatabase(cell, bringUpToDate(nameOf(cell, true))), fenceCell(cell)), {
      schedule: Schedule.spaced(AGAIN),
      while: (error) => error instanceof DatabaseError
    })
  }).pipe(Effect.catch(({ message }) => warn(message, name)))
