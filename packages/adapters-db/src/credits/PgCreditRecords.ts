import { AccountNotFound, accountOf, type CreditRecords, TRANSACTION_TYPES } from "@parley/core/adapter"
import type { HistoryInput, HistoryPage, UsageInput, UsageRow } from "@parley/core"
import { Effect, Result } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { accountOfRow, type JsonRow, transactionOfRow } from "./ledgerRows.ts"

interface HistoryRow extends Row {
  readonly total: number
  /** The number of matching transactions that are not newer than the page. */
  readonly top: number
  readonly transaction: JsonRow | null
}

/**
 * Counts, among a number of transactions, those that are not newer than the page: `$2` is its offset, `$3` the value of
 * `upto`.
 */
const topOf = (total: string) => `least(${total}, $3::bigint) - $2::bigint`

/** Numbers have no gaps, so that a page of all types is a run of them. */
const allText = (schema: string) => `
  SELECT a.transaction_count AS total, ${topOf("a.transaction_count")} AS top, to_json(t) AS transaction
  FROM ${schema}.credit_accounts a
  LEFT JOIN LATERAL (
    SELECT * FROM ${schema}.credit_transactions r
    WHERE r.user_id = a.user_id AND r.number <= ${topOf("a.transaction_count")} ORDER BY r.number DESC LIMIT $4
  ) t ON true
  WHERE a.user_id = $1 ORDER BY t.number DESC`

/**
 * A page of one type: from the first signpost at its beginning or after it, or else from the newest row, each row leads
 * to the one before it of its type. A signpost stands at every 64th. `$5` is the place of the type among the account's
 * counts.
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

/** A page of no type that there is. */
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

/** A page of an account's transactions, newest first, in time that depends on neither its offset nor the account's age. */
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

/** Sums have the type numeric, which arrives as text; the credits that an account can spend fit into a number. */
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

/** An account's use by day, spender and model: the sums of summed days, and the transactions that are not summed yet. */
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
