import { Effect } from "effect"
import { forPurpose } from "../../database/limits.ts"
import { asMover, deleteRows, unfinishedMoves } from "./ownerStates.ts"
import { type Cell, type OwnerTable, ownerTables } from "./ownerTables.ts"

const tablesOf = ({ database, owner }: Cell) =>
  owner.asOwner((sql) => ownerTables(sql, database.schema, owner.schemaName))

/** Erases the rows of an owner who lives in another cell. Returns false if the owner has come back meanwhile. */
const eraseRows = (cell: Cell, tables: ReadonlyArray<OwnerTable>, owner: string) => {
  const { schema } = cell.database
  const erasing = asMover(cell, owner, { state: "moved" }, (sql) =>
    Effect.gen(function* () {
      yield* deleteRows(sql, schema, tables, owner)
      yield* sql.query(`UPDATE ${schema}.moved_owners SET remains = false WHERE person = $1`, [owner])
      return true
    })
  )
  return Effect.map(erasing, (erased) => erased === true)
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
