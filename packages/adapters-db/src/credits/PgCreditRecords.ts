import { AccountNotFound, accountOf, type CreditRecords, TRANSACTION_TYPES } from "@parley/core/adapter"
import type { HistoryInput, HistoryPage, UsageInput, UsageRow } from "@parley/core"
import { Effect, Result } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { accountOfRow, type JsonRow, transactionOfRow } from "./ledgerRows.ts"

interface HistoryRow extends Row {
  readonly total: number
  /** The number of matching transactions that are as old as the first one of the page, or older. */
  readonly top: number
  readonly transaction: JsonRow | null
}

/**
 * Returns an SQL expression for the number of transactions, among the first `total`, from the first one of the page to
 * the oldest: `$2` is the page's offset, `$3` the value of `upto`.
 */
const topOf = (total: string) => `least(${total}, $3::bigint) - $2::bigint`

/** A page of transactions of all types. Their numbers have no gaps, so the page is a range of numbers. */
const allText = (schema: string) => `
  SELECT a.transaction_count AS total, ${topOf("a.transaction_count")} AS top, to_json(t) AS transaction
  FROM ${schema}.credit_accounts a
  LEFT JOIN LATERAL (
    SELECT * FROM ${schema}.credit_transactions r
    WHERE r.user_id = a.user_id AND r.number <= ${topOf("a.transaction_count")} ORDER BY r.number DESC LIMIT $4
  ) t ON true
  WHERE a.user_id = $1 ORDER BY t.number DESC`

/**
 * A page of transactions of one type. It begins at the first signpost that is not older than the page, or at the newest
 * row if there is none, and follows the link of each row to the previous row of the same type. Every 64th row of a type
 * is a signpost. `$5` is the place of the type among the account's counts.
 */
const typeText = (schema: string) => `
  WITH RECURSIVE account AS (
    SELECT a.user_id, a.by_type[$5] AS total, a.by_type[$5 + 1] AS newest, ${topOf("a.by_type[$5]")} AS top
    FROM ${schema}.credit_accounts a WHERE a.user_id = $1
  ), walk AS (
    SELECT r.user_id, r.number, r.previous, r.type_number, a.top FROM account a
    JOIN ${schema}.credit_transactions r ON r.user_id = a.user_id AND r.number = coalesce((
      SELECT s.number FROM ${schema}.credit_transactions s
      WHERE s.user_id = a.user_id AND s.type = $6 AND s.type_number % 64 = 0 AND s.type_number >= a.top
      ORDER BY s.type_number LIMIT 1
    ), a.newest)
    UNION ALL
    SELECT r.user_id, r.number, r.previous, r.type_number, w.top FROM walk w
    JOIN ${schema}.credit_transactions r ON r.user_id = w.user_id AND r.number = w.previous
    WHERE w.type_number > greatest(w.top - $4::bigint + 1, 1)
  )
  SELECT a.total, a.top, to_json(t) AS transaction FROM account a
  LEFT JOIN (
    SELECT r.* FROM walk w JOIN ${schema}.credit_transactions r ON r.user_id = w.user_id AND r.number = w.number
    WHERE w.type_number BETWEEN w.top - $4::bigint + 1 AND w.top
  ) t ON true
  ORDER BY t.number DESC`

/** An empty page, for a type that does not exist. */
const noneText = (schema: string) =>
  `SELECT 0::bigint AS total, 0::bigint AS top, NULL AS transaction FROM ${schema}.credit_accounts WHERE user_id = $1`

const ask = (
  schema: string,
  { userId, limit, offset, type, upto }: HistoryInput
): readonly [string, ReadonlyArray<unknown>] => {
  const place = TRANSACTION_TYPES.findIndex((one) => one === type)
  if (type === undefined) return [allText(schema), [userId, offset, upto ?? null, limit]]
  return place < 0
    ? [noneText(schema), [userId]]
    : [typeText(schema), [userId, offset, upto ?? null, limit, 2 * place + 1, type]]
}

/**
 * Returns a page of an account's transactions, newest first. Its time depends neither on the offset nor on the age of
 * the account.
 */
const readHistory = (
  { schema, statement }: Database["Service"],
  input: HistoryInput
): Effect.Effect<Result.Result<HistoryPage, AccountNotFound>, DatabaseError> =>
  Effect.map(statement<HistoryRow>(...ask(schema, input)), (rows) => {
    const [first] = rows
    if (first === undefined) return Result.fail(new AccountNotFound({ userId: input.userId }))
    const next = first.top - input.limit
    return Result.succeed({
      transactions: rows.flatMap(({ transaction }) => (transaction === null ? [] : transactionOfRow(transaction))),
      total: first.total,
      next: next > 0 ? next : undefined
    })
  })

/** Sums have the type numeric, which the driver returns as text. All possible sums of credits fit into a number. */
interface SummedRow extends Row {
  readonly day: string
  readonly source: UsageRow["source"]
  readonly model: string
  readonly replies: string
  readonly credits: string
  readonly input_tokens: string
  readonly output_tokens: string
}

const toUsageRow = (row: SummedRow): UsageRow => ({
  day: row.day,
  source: row.source,
  model: row.model,
  replies: Number(row.replies),
  credits: Number(row.credits),
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens)
})

/**
 * Returns an account's usage by day, spender and model, from the stored sums and the transactions that are not summed
 * yet.
 */
const readUsage = (
  { schema, statement }: Database["Service"],
  { userId, firstDay, lastDay }: UsageInput
): Effect.Effect<ReadonlyArray<UsageRow>, DatabaseError> =>
  Effect.map(
    statement<SummedRow>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, source, model, replies, credits, input_tokens, output_tokens
       FROM ${schema}.usage_of($1, $2, $3) ORDER BY 1, 2, 3`,
      [userId, firstDay, lastDay]
    ),
    (rows) => rows.map(toUsageRow)
  )

/** Reads the accounts, transactions and usage of the ledger. */
export const makeRecords = (database: Database["Service"]): CreditRecords["Service"] => {
  const { schema, statement } = database
  const answersText = `SELECT k.key AS answered_key, to_json(t) AS transaction FROM ${schema}.credit_idempotency k
    JOIN ${schema}.credit_transactions t ON t.user_id = k.user_id AND t.number = k.number
    WHERE k.user_id = $1 AND k.key = ANY($2::text[])`
  const accountText = `SELECT to_json(a) AS account FROM ${schema}.credit_accounts a WHERE a.user_id = $1`
  return {
    account: Effect.fnUntraced(function* (userId) {
      const [row] = yield* statement<{ readonly account: JsonRow }>(accountText, [userId])
      if (row === undefined) return yield* new AccountNotFound({ userId })
      return accountOf(accountOfRow(row.account))
    }, storing("CreditRecords.account")),
    transactions: (userId, keys) =>
      Effect.map(
        statement<{ readonly answered_key: string; readonly transaction: JsonRow }>(answersText, [userId, keys]),
        (rows) => new Map(rows.map((row) => [row.answered_key, transactionOfRow(row.transaction)]))
      ).pipe(storing("CreditRecords.transactions")),
    usage: (input) => readUsage(database, input).pipe(storing("CreditRecords.usage")),
    history: (input) =>
      Effect.flatMap(readHistory(database, input), Effect.fromResult).pipe(storing("CreditRecords.history"))
  }
}
