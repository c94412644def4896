import { Effect } from "effect"
import { Database, type DatabaseError } from "../../database/Database.ts"
import { Databases, inDatabase, type NamedDatabase } from "../Databases.ts"
import { CellRefused } from "./cellErrors.ts"
import { checkIdentity, foundIn, knownCell, refusalOf } from "./identifyCell.ts"

/** The reason why a configured cell takes no part yet. */
export interface LeftAlone {
  readonly database: "copy" | "absent"
  /** The same for people. */
  readonly message: string
}

const copyOf = (cell: string, source: string): LeftAlone => ({
  database: "copy",
  message: `The cell ${cell} takes no part yet: its database is ${source} that has not been split yet (parley cells split).`
})

const absent = (cell: string): LeftAlone => ({
  database: "absent",
  message: `The cell ${cell} takes no part yet: it is not in the directory, and its database does not answer.`
})

/** A standby that has not received the name of its source yet. */
const isStandby = Effect.flatMap(Database, ({ statement }) =>
  Effect.map(
    statement<{ standby: boolean }>("SELECT pg_catalog.pg_is_in_recovery() AS standby"),
    ([row]) => row?.standby === true
  )
)

/**
 * The reason not to register a cell that is not in the directory: its database is a copy of another cell, or does not answer.
 * Fails if the database belongs to another directory.
 */
export const unfit = (
  cell: NamedDatabase
): Effect.Effect<LeftAlone | undefined, CellRefused | DatabaseError, Databases> =>
  Effect.gen(function* () {
    const { name } = cell
    const { global } = yield* Databases
    const known = yield* Effect.orElseSucceed(knownCell(global, name), () => undefined)
    // Otherwise a cell of another directory looks like a copy.
    if (known !== undefined) cell.expected?.expectDirectory(known.directory)
    const found = yield* Effect.result(Effect.mapError(inDatabase(cell, isStandby), refusalOf))
    if (found._tag === "Failure" && !(found.failure instanceof CellRefused)) return absent(name)
    if (yield* Effect.fromResult(found)) return copyOf(name, "a standby of a cell")
    if (known !== undefined) yield* checkIdentity(cell)
    return undefined
  }).pipe(
    Effect.catchTag("CellRefused", (refused) =>
      // The second one is left of a split that was cancelled.
      refused.problem === "other-cell" || refused.problem === "copy"
        ? Effect.succeed(copyOf(cell.name, `a copy of ${refused.names.join(", ")}`))
        : Effect.fail(refused)
    )
  )

/** The same of any database; undefined for the global one, and for cells that the directory has. */
export const leftAlone = Effect.fnUntraced(function* (database: NamedDatabase) {
  const { cells, global } = yield* Databases
  if (cells === undefined || database === global || cells.byName.has(database.name)) return undefined
  return yield* unfit(database)
})

/** The cells that the directory does not have although their databases have their names: it is older, and has lost them. */
export const lostCells = Effect.gen(function* () {
  const { cells } = yield* Databases
  const found: Array<NamedDatabase> = []
  for (const [name, cell] of cells?.configured ?? [])
    if (
      cells?.byName.has(name) === false &&
      (yield* leftAlone(cell)) === undefined &&
      (yield* foundIn(cell)) !== undefined
    )
      found.push(cell)
  return found
})
