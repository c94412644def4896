import type { Row } from "../Database.ts"

/**
 * Columns of moments, as the ledger's statements name them. A caller's client may give them as it likes, and big numbers,
 * too, so that rows come as JSON text, which has no type for moments.
 */
const MOMENTS = new Set([
  "anchor",
  "period_start",
  "next_reset_at",
  "renewed_until",
  "created_at",
  "open_period_start",
  "open_expires_at",
  "record_used_at",
  "hold_period_start",
  "hold_expires_at"
])

/** Whether a statement gives rows and changes nothing but by functions, so that it may stand inside another. */
export const isSelect = (text: string): boolean => /^\s*(SELECT|WITH)\b/i.test(text)

/** The statement, with each row as one text of JSON: the same for every client, whatever it makes of types. */
export const wrapped = (text: string): string =>
  `SELECT pg_catalog.row_to_json(joined)::text AS parley_row FROM (${text}) AS joined`

const revive = (name: string, value: unknown): unknown =>
  MOMENTS.has(name) && typeof value === "string" ? new Date(value) : value

/** The rows of a wrapped statement, with numbers for bigint and `Date` for timestamptz, as the other drivers have them. */
export const rowsOf = <R extends Row>(rows: ReadonlyArray<object>): ReadonlyArray<R> =>
  rows.map((row) => {
    const columns = JSON.parse(String((row as Row)["parley_row"])) as Row
    return Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, revive(name, value)])) as R
  })
