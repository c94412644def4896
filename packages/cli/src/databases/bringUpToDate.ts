import {
  beginDirectory,
  checkCell,
  checkConfigured,
  configuredDatabases,
  DatabaseError,
  Databases,
  fenceCell,
  inDatabase,
  leftAlone,
  migrate,
  nameCell,
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

const warn = (message: string, cell: string, reason = "cell_unavailable") =>
  Effect.annotateLogs(Effect.logWarning(message), { reason, cell })

/** Brings one of several databases up to date if it is the cell of its name. */
const bringCellUpToDate = (cell: NamedDatabase) =>
  Effect.gen(function* () {
    yield* checkCell(cell)
    yield* inDatabase(cell, bringUpToDate(nameOf(cell, true)))
    yield* nameCell(cell)
    yield* fenceCell(cell)
  })

/**
 * Brings every database up to date, the global one first, and the directory with it. Fails if a database is not the cell of
 * its name. Returns the names of the cells that do not answer: a server starts without them. One that the directory does not
 * have is left alone if its database is a copy of another cell, or does not answer.
 */
export const bringAllUpToDate = Effect.gen(function* () {
  const databases = yield* Databases
  const { cells, global } = databases
  yield* inDatabase(global, bringUpToDate(nameOf(global, cells !== undefined)))
  yield* checkOnlyDatabase
  yield* beginDirectory
  yield* checkConfigured
  const absent: Array<string> = []
  const alone: Array<string> = []
  for (const database of cells === undefined ? [] : configuredDatabases(databases)) {
    const reason = yield* leftAlone(database)
    if (reason !== undefined) {
      alone.push(database.name)
      yield* warn(reason.message, database.name, "cell_not_joined")
      continue
    }
    yield* Effect.catchIf(
      bringCellUpToDate(database),
      (error) => error instanceof DatabaseError && database !== global,
      () => Effect.sync(() => void absent.push(database.name))
    )
  }
  yield* mendDirectory
  for (const name of absent) yield* warn("A cell does not answer. Its people wait until it does.", name)
  yield* warnOfUnknown(alone)
  return absent
})

/** Warns of cells that the directory does not have, except those that were named already. */
const warnOfUnknown = Effect.fnUntraced(function* (named: ReadonlyArray<string>) {
  const { cells } = yield* Databases
  if (cells === undefined) return
  const listed = yield* cells.sql.list
  for (const name of cells.configured.keys()) {
    if (named.includes(name) || listed.some((cell) => cell.name === name)) continue
    yield* warn('A cell of PARLEY_CELLS is not in the directory. Add it with "parley cells add".', name)
  }
})

/**
 * Checks the cells over the connections that serve people, which go through poolers. One that does not answer is checked
 * when it does.
 */
export const checkServing = Effect.gen(function* () {
  yield* checkConfigured
  const { cells } = yield* Databases
  for (const cell of cells?.byName.values() ?? [])
    yield* Effect.catchIf(
      checkCell(cell),
      (error) => error instanceof DatabaseError,
      () => Effect.void
    )
})

/** Does work on a cell that was away when it answers, as the cell of its name. */
const later = <E extends { readonly _tag: string; readonly message: string }, R>(
  name: string,
  work: (cell: NamedDatabase) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const cell = (yield* Databases).cells?.configured.get(name)
    if (cell === undefined) return
    const trying = Effect.tapError(work(cell), (error) =>
      error._tag === "CellRefused" ? warn(error.message, name) : Effect.void
    )
    yield* Effect.retry(trying, {
      schedule: Schedule.spaced(AGAIN),
      while: (error) => error instanceof DatabaseError || error._tag === "CellRefused"
    })
  }).pipe(Effect.catch(({ message }) => warn(message, name)))

/** Brings a cell that was away up to date when it answers. */
export const bringUpToDateLater = (name: string) => later(name, bringCellUpToDate)

/** The same as `checkServing`, for a cell that was away. */
export const checkServingLater = (name: string) => later(name, checkCell)
