import type { Row } from "../Database.ts"

/**
 * True if a statement returns rows and changes nothing except through functions. Such a statement may be nested in
 * another.
 */
export const isSelect = (text: string): boolean => /^\s*(SELECT|WITH)\b/i.test(text)

/** Wraps a statement so that it returns each row as one JSON text, which no client converts to other types. */
export const wrapped = (text: string): string =>
  `SELECT pg_catalog.row_to_json(joined)::text AS parley_row FROM (${text}) AS joined`

/**
 * Reads the rows of a wrapped statement. bigint columns are numbers; times are texts, unlike in the rows of other
 * drivers.
 */
export const rowsOf = <R extends Row>(rows: ReadonlyArray<object>): ReadonlyArray<R> =>
  rows.map((row) => JSON.parse(String((row as Row)["parley_row"])) as R)
