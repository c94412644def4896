import { Effect } from "effect"
import { Database, type DatabaseError } from "../../database/Database.ts"
import { Databases, inDatabase } from "../Databases.ts"
import { CellRefused } from "./cellErrors.ts"
import { checkAlone } from "./identifyCell.ts"
import { unfit } from "./leftAlone.ts"

const hasAccounts = Effect.flatMap(Database, ({ schema, statement }) =>
  Effect.map(
    statement<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${schema}.credit_accounts) AS found`),
    ([row]) => row?.found === true
  )
)

/**
 * Registers all cells that are no copies of others if the directory is empty; otherwise it changes nothing. All people are then in the global
 * database if that is a cell, so that those who are there already stay, and in the first cell if it is none. Fails if the
 * global database is no cell but has people.
 */
export const beginDirectory: Effect.Effect<void, CellRefused | DatabaseError, Databases> = Effect.gen(function* () {
  const { cells, global } = yield* Databases
  if (cells === undefined) return
  yield* inDatabase(global, checkAlone)
  if ((yield* cells.sql.list).length > 0) return yield* cells.sql.register([])
  const isCell = cells.configured.has(global.name)
  if (!isCell && (yield* inDatabase(global, hasAccounts)))
    return yield* new CellRefused({ problem: "people-in-global", cell: global.name, names: [] })
  const names = isCell ? [global.name] : []
  for (const [name, cell] of cells.configured)
    if (cell !== global && (yield* unfit(cell))?.database !== "copy") names.push(name)
  yield* cells.sql.register(names)
})

/**
 * The cells of the directory that have people, as the global database knows them. If there are several, or one that is
 * another database, a process that opens this database alone would look for people where they are not.
 */
export const populatedCells: Effect.Effect<
  ReadonlyArray<{ readonly name: string; readonly isHere: boolean }>,
  DatabaseError,
  Database
> = Effect.flatMap(Database, ({ schema, statement }) =>
  statement<{ name: string; isHere: boolean }>(
    `SELECT c.name, c.database_id IS NULL OR EXISTS (SELECT FROM ${schema}.this_cell t WHERE t.id = c.database_id) AS "isHere"
         FROM ${schema}.cells c WHERE EXISTS (SELECT FROM ${schema}.cell_buckets b WHERE b.cell = c.name)
           OR EXISTS (SELECT FROM ${schema}.placements p WHERE p.cell = c.name) ORDER BY c.name`
  )
)
