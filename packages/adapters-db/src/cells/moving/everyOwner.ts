import { Effect } from "effect"
import type { Sql } from "../../database/Database.ts"
import { type Cell, type OwnerTable, ownerTables } from "./ownerTables.ts"

/** Owners of rows that are no person's, and of payments of erased people. */
const NOT_OWNERS = "'parley:no-person', 'erased:'"

/**
 * The owners of one table. A table with many rows of each owner has an index that begins with the owner: it is asked for the
 * next owner again and again, so that the time depends on the number of owners alone.
 */
const ownersOf = ({ key, ownerColumn, sqlName }: OwnerTable) => {
  if (key[0] !== ownerColumn || key.length === 1) return `SELECT DISTINCT ${ownerColumn} AS person FROM ${sqlName}`
  const next = (after: string) =>
    `(SELECT t.${ownerColumn} FROM ${sqlName} t ${after} ORDER BY t.${ownerColumn} LIMIT 1)`
  return `(WITH RECURSIVE owners AS (
      SELECT ${next("")} AS person
      UNION ALL SELECT ${next(`WHERE t.${ownerColumn} > o.person`)} FROM owners o WHERE o.person IS NOT NULL
    ) SELECT o.person FROM owners o)`
}

/** An SQL query of everybody who has rows in a database, as "person", each once. Pseudonyms of erased people count. */
export const everyOwner = (sql: Sql, { database: { schema }, owner: { schemaName } }: Cell) =>
  Effect.map(ownerTables(sql, schema, schemaName), (tables) => {
    const each = tables.flatMap((table) => (table.isFirst && table.ownerColumn !== null ? [ownersOf(table)] : []))
    return `SELECT p.person FROM (${each.join(" UNION ")}) p WHERE p.person NOT IN (${NOT_OWNERS})`
  })
