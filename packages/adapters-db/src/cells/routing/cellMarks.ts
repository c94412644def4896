import type { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { storing } from "../../storage/storageFailed.ts"
import { eraseLeft } from "../moving/eraseMoved.ts"
import type { Cell } from "../moving/ownerTables.ts"

/** The marks that cells keep about owners who moved. */
export interface CellMarks {
  /** False if a cell refuses the writes of an owner, so that its answers are not final. */
  livesHere(cell: string, owner: string): Effect.Effect<boolean, StorageFailed>
  /** Erases what an owner left in a cell by moving away. */
  eraseLeft(cell: string, owner: string): Effect.Effect<void, StorageFailed>
}

/** A single database has all owners. */
export const NO_MARKS: CellMarks = { livesHere: () => Effect.succeed(true), eraseLeft: () => Effect.void }

/** The marks in the databases of the cells. */
export const cellMarks = (cells: ReadonlyMap<string, Cell>): CellMarks => {
  if (cells.size < 2) return NO_MARKS
  return {
    livesHere: (name, owner) => {
      const cell = cells.get(name)
      if (cell === undefined) return Effect.succeed(true)
      const { schema, statement } = cell.database
      const asked = statement<{ here: boolean }>(`SELECT ${schema}.lives_here($1) AS here`, [owner])
      return storing("Cells.livesHere")(Effect.map(asked, ([row]) => row?.here !== false))
    },
    eraseLeft: (name, owner) => {
      const cell = cells.get(name)
      return cell === undefined ? Effect.void : storing("Cells.eraseLeft", "building")(eraseLeft(cell, owner))
    }
  }
}
