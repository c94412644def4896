import { Effect } from "effect"
import { Databases } from "../Databases.ts"
import type { CellRow } from "../directory/directorySql.ts"
import { absentCells } from "./absentCells.ts"
import { onCell } from "./onCell.ts"

/** A cell of the directory, of the configuration, or of both. */
export interface ListedCell extends Omit<CellRow, "state"> {
  /** `unknown`: configured, and not in the directory. */
  readonly state: CellRow["state"] | "unknown"
  /** `ready`: it answers, and is migrated. `absent`: it does not, or is not ready otherwise. `unset`: not configured. */
  readonly database: "ready" | "absent" | "unset"
}

/** The cells of the directory and of the configuration, by their names. */
export const listCells = Effect.gen(function* () {
  const { cells, global } = yield* Databases
  if (cells === undefined) return []
  const absent = new Set(
    yield* Effect.catchTag(absentCells(), "DatabaseNotReady", () => Effect.succeed([...cells.configured.keys()]))
  )
  const known = new Map((yield* onCell(global, cells.sql.list)).map((cell) => [cell.name, cell]))
  return [...new Set([...known.keys(), ...cells.configured.keys()])].toSorted().map((name): ListedCell => ({
    ...(known.get(name) ?? { name, state: "unknown", buckets: 0, placements: 0 }),
    database: !cells.configured.has(name) ? "unset" : absent.has(name) ? "absent" : "ready"
  }))
})
