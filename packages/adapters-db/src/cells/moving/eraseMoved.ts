import { instruments } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { asMover, deleteRows, unfinishedMoves } from "./ownerStates.ts"
import { type Cell, type OwnerTable, ownerTables } from "./ownerTables.ts"

const tablesOf = ({ database, owner }: Cell) =>
  owner.asOwner((sql) => ownerTables(sql, database.schema, owner.schemaName))

interface EndedMove extends Row {
  readonly target: string
  /** Seconds for which the owner's writes were refused; null for a move that was cancelled. */
  readonly seconds: number | null
}

/**
 * Erases the rows of an owner who lives in another cell. Returns false if the owner has come back meanwhile, or if another
 * process has erased them. So each move is measured once, and by a process that exports metrics.
 */
const eraseRows = (cell: Cell, tables: ReadonlyArray<OwnerTable>, owner: string) => {
  const { schema } = cell.database
  const erasing = asMover(cell, owner, { state: "moved" }, (sql) =>
    Effect.gen(function* () {
      yield* deleteRows(sql, schema, tables, owner)
      const [ended] = yield* sql.query<EndedMove>(
        `UPDATE ${schema}.moved_owners SET remains = false WHERE person = $1 AND remains
        RETURNING cell AS target, extract(epoch FROM refused_for)::float8 AS seconds`,
        [owner]
      )
      return ended
    })
  )
  return Effect.map(erasing, (ended) => {
    if (ended === undefined) return false
    const { seconds, target } = ended
    if (seconds !== null)
      instruments.cellMoveDuration.record(seconds, { "parley.cell": cell.id, "parley.cell.target": target })
    return true
  })
}

/**
 * Erases the rows of owners that have lived in another cell for `olderThanMs`; returns the number of owners. Until then
 * they serve calls of servers that have not heard of the move.
 */
export const eraseMoved = Effect.fnUntraced(
  function* (cell: Cell, olderThanMs: number) {
    const tables = yield* tablesOf(cell)
    let erased = 0
    for (const { owner, state } of yield* unfinishedMoves(cell, olderThanMs)) {
      if (state === "moved" && (yield* eraseRows(cell, tables, owner))) erased += 1
    }
    return erased
  },
  (work) => forPurpose("building")(work)
)

/** Erases what one owner left in a cell, if anything. */
export const eraseLeft = Effect.fnUntraced(function* (cell: Cell, owner: string) {
  const { schema, statement } = cell.database
  const [left] = yield* statement(
    `SELECT 1 FROM ${schema}.moved_owners WHERE person = $1 AND state = 'moved' AND remains`,
    [owner]
  )
  if (left !== undefined) yield* eraseRows(cell, yield* tablesOf(cell), owner)
})
