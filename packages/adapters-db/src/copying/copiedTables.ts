import { Effect } from "effect"
import type { Row, Sql } from "../database/Database.ts"
import { quoteIdentifier } from "../database/quoting.ts"
import type { TableDigest } from "./Copy.ts"

/** Tables that are not copied: migrations are applied to the target, and workers are processes of the source. */
const NOT_COPIED = ["migrations", "workers"]
/** The tables of the job queue that are copied; its other tables contain only its settings. */
const OF_THE_QUEUE = ["job"]
const QUEUE = "boss."

/** A table of a database whose rows are copied. */
export interface CopiedTable {
  /** The name of the table in a copy. */
  readonly name: string
  /** The quoted name of the table with its schema, for SQL. */
  readonly sqlName: string
  /** The quoted names of the columns that can be written, in the order of the table. */
  readonly columns: ReadonlyArray<string>
}

interface TableRow extends Row {
  readonly name: string
  readonly space: string
  readonly columns: ReadonlyArray<string>
}

/**
 * The tables of the schema in $1 and of its job queue. Partitions are left out: their rows are read through their
 * parent table.
 */
const TABLES = `SELECT c.relname AS name, n.nspname AS space, array_agg(a.attname::text ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND (n.nspname = $1 AND c.relname <> ALL ($2::text[]) OR n.nspname = $1 || '_boss' AND c.relname = ANY ($3::text[]))
  GROUP BY c.relname, n.nspname ORDER BY n.nspname, c.relname`

/** Returns the tables to be copied, sorted by name. */
export const copiedTables = (sql: Sql, schemaName: string) =>
  Effect.map(sql.query<TableRow>(TABLES, [schemaName, NOT_COPIED, OF_THE_QUEUE]), (rows) =>
    rows.map(({ columns, name, space }): CopiedTable => ({
      name: space === schemaName ? name : `${QUEUE}${name}`,
      sqlName: `${quoteIdentifier(space)}.${quoteIdentifier(name)}`,
      columns: columns.map(quoteIdentifier)
    }))
  )

/** The whole row as a text. The alias differs from the name of every column, so that it means the row. */
export const ROW_TEXT = "copied_row__::text"

interface DigestRow extends Row {
  readonly rows: number
  readonly digest: string
  readonly longest: number
}

/** Returns the digest of a table, and the length of its longest row in characters. */
export const digestOf = (sql: Sql, { sqlName }: CopiedTable) =>
  Effect.map(
    sql.query<DigestRow>(
      `SELECT count(*) AS rows, coalesce(sum(hashtextextended(row, 0)::numeric), 0)::text AS digest,
        coalesce(max(length(row)), 0) AS longest
      FROM (SELECT ${ROW_TEXT} AS row FROM ${sqlName} AS copied_row__) AS texts`
    ),
    ([found]) => ({
      table: { rows: Number(found?.rows ?? 0), digest: found?.digest ?? "0" } satisfies TableDigest,
      longest: Number(found?.longest ?? 0)
    })
  )

/** Sets the option on which the text form of rows depends, besides those that every transaction sets. */
export const ROW_SETTINGS = "SELECT set_config('bytea_output', 'hex', true)"

interface SequenceRow extends Row {
  readonly name: string
  readonly value: string | null
}

/** Returns the last value of each sequence of the schema; null for a sequence that was never used. */
export const sequencesOf = (sql: Sql, schemaName: string) =>
  Effect.map(
    sql.query<SequenceRow>(
      "SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = $1 ORDER BY 1",
      [schemaName]
    ),
    (rows) => Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  )

/** Returns the version of the job queue's own tables; null if there is no job queue. */
export const queueVersion = Effect.fnUntraced(function* (sql: Sql, schemaName: string) {
  const space = quoteIdentifier(`${schemaName}_boss`)
  const [found] = yield* sql.query(`SELECT to_regclass($1) IS NOT NULL AS exists`, [`${space}.version`])
  if (found?.["exists"] !== true) return null
  const [row] = yield* sql.query(`SELECT version FROM ${space}.version`)
  return row === undefined ? null : Number(row["version"])
})
