import { AccountNotFound, type HistoryInput, type Transaction, TRANSACTION_TYPES } from "@parley/core"
import { Effect, Result } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { toTransaction, TRANSACTION_COLUMNS, type TransactionRow } from "./loadAccounts.ts"

interface HistoryRow extends Row {
  readonly total: number
}

/** Numbers have no gaps, so that a page of all types is a run of them. */
const allText = (schema: string) => `
  SELECT a.transaction_count AS total, ${TRANSACTION_COLUMNS}
  FROM ${schema}.credit_accounts a
  LEFT JOIN LATERAL (
    SELECT * FROM ${schema}.credit_transactions r
    WHERE r.user_id = a.user_id AND r.number <= a.transaction_count - $3::bigint ORDER BY r.number DESC LIMIT $2
  ) t ON true
  WHERE a.user_id = $1 ORDER BY t.number DESC`

/**
 * A page of one type: from the first signpost at its beginning or after it, or else from the newest row, each row leads
 * to the one before it of its type. A signpost stands at every 64th. `$4` is the place of the type among the account's
 * counts.
 */
const typeText = (schema: string) => `
  WITH RECURSIVE account AS (
    SELECT a.user_id, a.by_type[$4] AS total, a.by_type[$4 + 1] AS newest, a.by_type[$4] - $3::bigint AS top
    FROM ${schema}.credit_accounts a WHERE a.user_id = $1
  ), walk AS (
    SELECT r.user_id, r.number, r.previous, r.type_number, a.top FROM account a
    JOIN ${schema}.credit_transactions r ON r.user_id = a.user_id AND r.number = coalesce((
      SELECT s.number FROM ${schema}.credit_transactions s
      WHERE s.user_id = a.user_id AND s.type = $5 AND s.type_number % 64 = 0 AND s.type_number >= a.top
      ORDER BY s.type_number LIMIT 1
    ), a.newest)
    UNION ALL
    SELECT r.user_id, r.number, r.previous, r.type_number, w.top FROM walk w
    JOIN ${schema}.credit_transactions r ON r.user_id = w.user_id AND r.number = w.previous
    WHERE w.type_number > greatest(w.top - $2::bigint + 1, 1)
  )
  SELECT a.total, ${TRANSACTION_COLUMNS} FROM account a
  LEFT JOIN (
    SELECT r.* FROM walk w JOIN ${schema}.credit_transactions r ON r.user_id = w.user_id AND r.number = w.number
    WHERE w.type_number BETWEEN w.top - $2::bigint + 1 AND w.top
  ) t ON true
  ORDER BY t.number DESC`

/** A page of no type that there is. */
const noneText = (schema: string) =>
  `SELECT 0::bigint AS total, NULL AS number FROM ${schema}.credit_accounts WHERE user_id = $1`

const ask = (
  schema: string,
  { userId, limit, offset, type }: HistoryInput
): readonly [string, ReadonlyArray<unknown>] => {
  if (type === undefined) return [allText(schema), [userId, limit, offset]]
  const place = TRANSACTION_TYPES.findIndex((one) => one === type)
  return place < 0 ? [noneText(schema), [userId]] : [typeText(schema), [userId, limit, offset, 2 * place + 1, type]]
}

/** A page of an account's transactions, newest first, in time that depends on neither its offset nor the account's age. */
export const readHistory = (
  { schema, statement }: Database["Service"],
  input: HistoryInput
): Effect.Effect<
  Result.Result<{ readonly transactions: ReadonlyArray<Transaction>; readonly total: number }, AccountNotFound>,
  DatabaseError
> =>
  Effect.map(statement<HistoryRow>(...ask(schema, input)), (rows) => {
    const [first] = rows
    if (first === undefined) return Result.fail(new AccountNotFound({ userId: input.userId }))
    const page = rows.filter((row) => row["number"] !== null) as ReadonlyArray<Row> as ReadonlyArray<TransactionRow>
    return Result.succeed({ transactions: page.map(toTransaction), total: first.total })
  })
