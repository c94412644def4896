import { Effect } from "effect"
import { checkReadiness } from "../../readiness.ts"
import { Databases, inDatabase, type NamedDatabase } from "../Databases.ts"
import type { CellRow } from "../directory/directorySql.ts"
import { absentCells } from "./absentCells.ts"
import { leftAlone } from "./leftAlone.ts"
import { onCell } from "./onCell.ts"

/** A cell of the directory, of the configuration, or of both. */
export interface ListedCell extends Omit<CellRow, "state"> {
  /** `unknown`: configured, and not in the directory. */
  readonly state: CellRow["state"] | "unknown"
  /**
   * `ready`: it answers, and is migrated. `absent`: it does not, or is not ready otherwise. `copy`: it is not in the
   * directory, and its database is a copy of another cell. `unset`: not configured.
   */
  readonly database: "ready" | "absent" | "copy" | "unset"
}

/** The database of a cell that is not in the directory. */
const unknownDatabase = (cell: NamedDatabase) =>
  Effect.gen(function* () {
    const alone = yield* leftAlone(cell)
    if (alone !== undefined) return alone.database
    yield* inDatabase(cell, checkReadiness())
    return "ready" as const
  }).pipe(Effect.orElseSucceed(() => "absent" as const))

/** The cells of the directory and of the configuration, by their names. */
export const listCells = Effect.gen(function* () {
  const { cells, global } = yield* Databases
  if (cells === undefined) return []
  const known = new Map((yield* onCell(global, cells.sql.list)).map((cell) => [cell.name, cell]))
  cells.directory.noteCells(known.keys())
  const absent = new Set(
    yield* Effect.catchTag(absentCells(), "DatabaseNotReady", () => Effect.succeed([...cells.byName.keys()]))
  )
  const names = [...new Set([...known.keys(), ...cells.configured.keys()])].toSorted()
  return yield* Effect.forEach(names, (name) => {
    const cell = cells.configured.get(name)
    const row = known.get(name) ?? { name, state: "unknown" as const, buckets: 0, placements: 0 }
    const listed = (database: ListedCell["database"]): ListedCell => ({ ...row, database })
    if (cell === undefined) return Effect.succeed(listed("unset"))
    if (cells.byName.has(name)) return Effect.succeed(listed(absent.has(name) ? "absent" : "ready"))
    return Effect.map(unknownDatabase(cell), listed)
  })
})
