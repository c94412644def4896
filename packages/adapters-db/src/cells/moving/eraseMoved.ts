import { Effect } from "effect"
import { forPurpose } from "../../database/limits.ts"
import { asMover, deleteRows, unfinishedMoves } from "./ownerStates.ts"
import { type Cell, ownerTables } from "./ownerTables.ts"

/**
 * Erases the rows of owners that have lived in another cell for `olderThanMs`; returns the number of owners. Until then
 * they serve calls of servers that have not heard of the move.
 */
export const eraseMoved = Effect.fnUntraced(
  function* (cell: Cell, olderThanMs: number) {
    const { database, owner: login } = cell
    const tables = yield* login.asOwner((sql) => ownerTables(sql, database.schema, login.schemaName))
    let erased = 0
    for (const { owner, state } of yield* unfinishedMoves(cell, olderThanMs)) {
      if (state !== "moved") continue
      const done = yield* asMover(cell, owner, { state: "moved" }, (sql) =>
        Effect.gen(function* () {
          yield* deleteRows(sql, database.schema, tables, owner)
          yield* sql.query(`UPDATE ${database.schema}.moved_owners SET remains = false WHERE person = $1`, [owner])
          return true
        })
      )
      // It may have come back meanwhile.
      if (done === true) erased += 1
    }
    return erased
  },
  (work) => forPurpose("building")(work)
)
