import type { Row } from "../Database.ts"

/**
 * Returns true if a statement returns rows and changes nothing except through functions, so that it may be nested in
 * another.
 */
export const isSelect = (text: string): boolean => /^\s*(SELECT|WITH)\b/i.test(text)

/** The statement with each row as one text of JSON, so that no client converts the types. */
export const wrapped = (text: string): string =>
  `SELECT pg_catalog.row_to_json(joined)::text AS parley_row FROM (${text}) AS joined`

/** The rows of a wrapped statement: bigint columns are numbers, and moments are texts, unlike those of other drivers. */
export const rowsOf = <R extends Row>(rows: ReadonlyArray<object>): ReadonlyArray<R> =>
  rows.map((row) => JSON.parse(String((row as Row)["parley_row"])) as R)
