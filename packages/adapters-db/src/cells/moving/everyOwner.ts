import { Effect } from "effect"
import type { Sql } from "../../database/Database.ts"
import { type Cell, ownerTables } from "./ownerTables.ts"

/** An SQL condition: false for rows that are no person's, and for payments of erased people. */
const isOwner = (owner: string) => `${owner} NOT IN ('parley:no-person', 'erased:')`

interface OwnersOptions {
  /** A condition on the owner, in SQL. */
  readonly where?: (owner: string) => string
  /** The most owners of each table, in SQL: the first ones in the order of their bytes. All of them unless given. */
  readonly limit?: string
}

/** The owners of each table in which an owner may have the only rows, as SQL queries of "person". */
export const ownersByTable = (
  sql: Sql,
  { database: { schema }, owner: { schemaName } }: Pick<Cell, "database" | "owner">,
  { limit, where }: OwnersOptions = {}
) =>
  Effect.map(ownerTables(sql, schema, schemaName), (tables) =>
    tables.flatMap(({ isFirst, name, ownerColumn, sqlName }) => {
      if (!isFirst || ownerColumn === null) return []
      // The columns of the other tables have this order.
      const owner = name === "boss.job" ? `${ownerColumn} COLLATE "C"` : ownerColumn
      const isMeant = where === undefined ? "" : `AND ${where(owner)}`
      const first = limit === undefined ? "" : `ORDER BY 1 LIMIT ${limit}`
      return [`(SELECT DISTINCT ${owner} AS person FROM ${sqlName} WHERE ${isOwner(owner)} ${isMeant} ${first})`]
    })
  )

/** An SQL query of all owners with rows in a database, as "person", each once. Pseudonyms of erased people are among them. */
export const everyOwner = (sql: Sql, cell: Cell) => Effect.map(ownersByTable(sql, cell), (each) => each.join(" UNION "))
