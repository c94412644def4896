import { Effect } from "effect"
import { cellOf, Databases, type NamedDatabase } from "../Databases.ts"
import { enableFence } from "../moving/fence.ts"

/**
 * Has a migrated cell refuse writes of owners who live elsewhere, if it is one of several. To be repeated after each
 * migration that adds a table.
 */
export const fenceCell = (database: NamedDatabase) =>
  Effect.gen(function* () {
    const { cells } = yield* Databases
    if (cells === undefined || cells.configured.size < 2 || cells.configured.get(database.name) !== database) return
    yield* enableFence(cellOf(database))
  })
