import { Effect } from "effect"
import type { Sql } from "../../database/Database.ts"
import { type Cell, type OwnerTable, ownerTables } from "./ownerTables.ts"

/** Owners of rows that are no person's, and of payments of erased people. */
const NOT_OWNERS = "'parley:no-person', 'erased:'"

const ownersOf = ({ ownerColumn, sqlName }: OwnerTable) => `SELECT DISTINCT ${ownerColumn} AS person FROM ${sqlName}`

/** An SQL query of everybody who has rows in a database, as "person", each once. Pseudonyms of erased people count. */
export const everyOwner = (sql: Sql, { database: { schema }, owner: { schemaName } }: Cell) =>
  Effect.map(ownerTables(sql, schema, schemaName), (tables) => {
    const each = tables.flatMap((table) => (table.isFirst && table.ownerColumn !== null ? [ownersOf(table)] : []))
    return `SELECT p.person FROM (${each.join(" UNION ")}) p WHERE p.person NOT IN (${NOT_OWNERS})`
  })
