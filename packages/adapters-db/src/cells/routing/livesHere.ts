import type { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { storing } from "../../storage/storageFailed.ts"
import type { Cell } from "../moving/ownerTables.ts"

/** False if a cell refuses the writes of an owner, so that its answers are not final. */
export type LivesHere = (cell: string, owner: string) => Effect.Effect<boolean, StorageFailed>

/** A single database has all owners. */
export const ALWAYS_HERE: LivesHere = () => Effect.succeed(true)

/** Asks the cells themselves. */
export const livesHere = (cells: ReadonlyMap<string, Cell>): LivesHere => {
  if (cells.size < 2) return ALWAYS_HERE
  return (name, owner) => {
    const cell = cells.get(name)
    if (cell === undefined) return Effect.succeed(true)
    const { schema, statement } = cell.database
    const asked = statement<{ here: boolean }>(`SELECT ${schema}.lives_here($1) AS here`, [owner])
    return storing("Cells.livesHere")(Effect.map(asked, ([row]) => row?.here !== false))
  }
}
