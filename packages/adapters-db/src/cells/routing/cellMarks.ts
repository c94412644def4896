import type { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { storing } from "../../storage/storageFailed.ts"
import { eraseLeft } from "../moving/eraseMoved.ts"
import type { Cell } from "../moving/ownerTables.ts"

/** The marks that cells keep about owners who moved. */
export interface CellMarks {
  /**
   * The version of the placement since which an owner lives in a cell, 0 if it is that of the bucket. Undefined if the cell
   * refuses the owner's writes, so that its answers are not final.
   */
  hereSince(cell: string, owner: string): Effect.Effect<number | undefined, StorageFailed>
  /** Erases what an owner left in a cell by moving away. */
  eraseLeft(cell: string, owner: string): Effect.Effect<void, StorageFailed>
}

/** A single database has all owners. */
export const NO_MARKS: CellMarks = { hereSince: () => Effect.succeed(0), eraseLeft: () => Effect.void }

/** The marks in the databases of the cells. */
export const cellMarks = (cells: ReadonlyMap<string, Cell>): CellMarks => {
  if (cells.size < 2) return NO_MARKS
  return {
    hereSince: (name, owner) => {
      const cell = cells.get(name)
      if (cell === undefined) return Effect.succeed(0)
      const { schema, statement } = cell.database
      const asked = statement<{ since: number | null }>(
        `SELECT CASE WHEN ${schema}.lives_here($1)
          THEN coalesce((SELECT m.version FROM ${schema}.moved_owners m WHERE m.person = $1), 0) END AS since`,
        [owner]
      )
      return storing("Cells.hereSince")(Effect.map(asked, ([row]) => row?.since ?? undefined))
    },
    eraseLeft: (name, owner) => {
      const cell = cells.get(name)
      return cell === undefined ? Effect.void : storing("Cells.eraseLeft", "building")(eraseLeft(cell, owner))
    }
  }
}
