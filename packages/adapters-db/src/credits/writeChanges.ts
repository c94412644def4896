import { type Traces, tracedBy } from "../database/traces.ts"
import {
  type Changes,
  countsOf,
  type EndTurn,
  type LedgerAccount,
  NO_TRANSACTIONS,
  withTransaction
} from "@parley/core/adapter"
import { Effect } from "effect"
import { endRow } from "../chat/PgChatStore.ts"
import type { DatabaseError, Sql } from "../database/Database.ts"
import { balancesRow, purchaseRow, rowOfOpenHold, rowOfRecord, rowOfTransaction, termsRow } from "./ledgerRows.ts"
import { DATABASE_NOW } from "./LedgerClock.ts"

/** The decision for one account, and the state from which it was made. */
export interface AccountWrite {
  readonly changes: Changes
  /** The account as it was read; undefined if there was none. */
  readonly seen: LedgerAccount | undefined
  /** Keys that were taken to be unused without looking. */
  readonly unseen: ReadonlyArray<string>
}

/** The number of transactions of an account after which its usage is summed. */
const SUMMED_TOGETHER = 256

/** The rows of a write, by the parameters of `write_credits`. */
interface CreditRows {
  readonly accounts: Array<object>
  /** The balances of each account as it was read, which the database compares; null for a new account. */
  readonly seen: Array<string | null>
  readonly unseen: Array<object>
  readonly ended: Array<object>
  readonly opened: Array<object>
  readonly transactions: Array<object>
  readonly records: Array<object>
  readonly purchases: Array<object>
  readonly summed: Array<object>
}

/** Adds the account, its transactions and the block of usage that they fill. */
const addAccount = (rows: CreditRows, { changes: { account, transactions }, seen }: AccountWrite): void => {
  const { termsTransaction, transactionCount, userId } = account
  const terms = seen?.termsTransaction === termsTransaction ? undefined : termsRow.toRow(account)
  // Without the terms if they stay, as they do with replies: moments cost more than all else.
  rows.accounts.push({ ...balancesRow.toRow(account), ...terms })
  rows.seen.push(
    seen === undefined
      ? null
      : `${seen.allowance} ${seen.topup} ${seen.debt} ${seen.heldAllowance} ${seen.heldTopup} ${seen.transactionCount}`
  )
  let allowance = seen?.allowance ?? 0
  let topup = seen?.topup ?? 0
  let byType = seen?.byType ?? NO_TRANSACTIONS
  for (const transaction of transactions) {
    const number = Number(transaction.id)
    const { count, newest } = countsOf(byType, transaction.type)
    allowance += transaction.allowanceAmount
    topup += transaction.topupAmount
    byType = withTransaction(byType, transaction.type, number)
    rows.transactions.push({
      user_id: userId,
      ...rowOfTransaction(transaction),
      allowance_after: allowance,
      topup_after: topup,
      type_number: count + 1,
      previous: newest,
      ...(number === termsTransaction ? terms : undefined)
    })
  }
  const blocks = Math.floor(transactionCount / SUMMED_TOGETHER)
  if (blocks > Math.floor((seen?.transactionCount ?? 0) / SUMMED_TOGETHER)) {
    rows.summed.push({ user_id: userId, upto: transactionCount })
  }
}

/** Adds the used keys, those that ended a stored hold apart, and numbers the holds in the order of their ends. */
const addRecords = (rows: CreditRows, { changes: { account, closed, records }, seen }: AccountWrite): void => {
  let place = seen?.holdsEnded ?? 0
  let ended = 0
  for (const record of records) {
    if (record.hold !== undefined) place += 1
    const row = {
      user_id: account.userId,
      ...rowOfRecord(record),
      hold_number: record.hold === undefined ? undefined : place
    }
    const endsHold = closed.includes(record.key)
    if (endsHold) ended += 1
    ;(endsHold ? rows.ended : rows.records).push(row)
  }
  if (ended < closed.length) throw new Error("A hold was ended without a record that says how.")
}

/** A parameter of the schema's functions: null if there is nothing to do. */
export const jsonList = (list: ReadonlyArray<unknown>): string | null =>
  list.length === 0 ? null : JSON.stringify(list)

/** The decisions for several accounts, as the parameters of `write_credits`. */
export const creditLists = (writes: ReadonlyArray<AccountWrite>) => {
  const rows: CreditRows = {
    accounts: [],
    seen: [],
    unseen: [],
    ended: [],
    opened: [],
    transactions: [],
    records: [],
    purchases: [],
    summed: []
  }
  for (const write of writes) {
    const { account, opened, purchases } = write.changes
    addAccount(rows, write)
    addRecords(rows, write)
    for (const key of write.unseen) rows.unseen.push({ user_id: account.userId, key })
    for (const hold of opened) rows.opened.push(rowOfOpenHold(hold))
    for (const purchase of purchases) rows.purchases.push({ user_id: account.userId, ...purchaseRow.toRow(purchase) })
  }
  return {
    accounts: jsonList(rows.accounts),
    seen: rows.seen,
    unseen: jsonList(rows.unseen),
    ended: jsonList(rows.ended),
    opened: jsonList(rows.opened),
    transactions: jsonList(rows.transactions),
    records: jsonList(rows.records),
    purchases: jsonList(rows.purchases),
    summed: jsonList(rows.summed)
  }
}

/**
 * The end of a reply, which the statement that writes accounts also writes. If `payer` is given, the database writes it
 * only with the changes of that account; otherwise always.
 */
export interface TurnEnd {
  readonly payer: string | undefined
  readonly turn: EndTurn
}

/** The result of a write. */
export interface Written {
  /** Users for whom nothing was written: their account had changed, or the assumed time was wrong. */
  readonly missed: ReadonlySet<string>
  /** The database's time in Unix milliseconds. */
  readonly databaseNow: number | undefined
}

/**
 * Writes the decisions for several accounts, with the replies that end with them, in one statement. `decidedAt` is the
 * assumed time of the database in Unix milliseconds, and is checked; null if it need not be. Fails with SQLSTATE 40001,
 * with nothing written at all, if a key that was assumed to be unused is used, or a hold that was assumed to be open is
 * not.
 */
export const writeChanges = (
  query: Sql["query"],
  schema: string,
  writes: ReadonlyArray<AccountWrite>,
  decidedAt: number | null,
  ends: ReadonlyArray<TurnEnd> = [],
  traces?: Traces
): Effect.Effect<Written, DatabaseError> => {
  const { accounts, ended, opened, purchases, records, seen, summed, transactions, unseen } = creditLists(writes)
  return Effect.map(
    query<{ missed: ReadonlyArray<string>; database_now: number }>(
      `SELECT ${schema}.write_credits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS missed, ${DATABASE_NOW} AS database_now${traces === undefined ? "" : tracedBy("$12")}`,
      [
        accounts,
        seen,
        unseen,
        ended,
        opened,
        transactions,
        records,
        purchases,
        summed,
        jsonList(ends.map(({ payer, turn }) => ({ payer, ...endRow(turn) }))),
        decidedAt,
        ...(traces === undefined ? [] : [JSON.stringify(traces)])
      ]
    ),
    ([row]) => ({ missed: new Set(row?.missed), databaseNow: row?.database_now })
  )
}
