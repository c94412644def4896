import {
  type Changes,
  countsOf,
  type EndTurn,
  type LedgerAccount,
  NO_TRANSACTIONS,
  withTransaction
} from "@parley/core/adapter"
import { Effect } from "effect"
import { endRow } from "../chat/turnRow.ts"
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

const accountJson = ({ changes: { account }, seen }: AccountWrite) => ({
  ...balancesRow.toRow(account),
  // Left out if they stay, as with replies: moments cost more than all else.
  ...(seen?.termsTransaction === account.termsTransaction ? {} : termsRow.toRow(account))
})

/** The balances as they were seen, to be compared with the row; null for an account that does not exist yet. */
const seenText = ({ seen }: AccountWrite) =>
  seen === undefined
    ? null
    : `${seen.allowance} ${seen.topup} ${seen.debt} ${seen.heldAllowance} ${seen.heldTopup} ${seen.transactionCount}`

const unseenJson = ({ changes, unseen }: AccountWrite) =>
  unseen.map((key) => ({ user_id: changes.account.userId, key }))

const openedJson = ({ changes: { opened } }: AccountWrite) => opened.map(rowOfOpenHold)

/** The transactions with what places each among the account's others. */
const transactionsJson = ({ changes: { account, transactions }, seen }: AccountWrite) => {
  let allowance = seen?.allowance ?? 0
  let topup = seen?.topup ?? 0
  let byType = seen?.byType ?? NO_TRANSACTIONS
  return transactions.map((transaction) => {
    const number = Number(transaction.id)
    const { count, newest } = countsOf(byType, transaction.type)
    allowance += transaction.allowanceAmount
    topup += transaction.topupAmount
    byType = withTransaction(byType, transaction.type, number)
    return {
      user_id: account.userId,
      ...rowOfTransaction(transaction),
      allowance_after: allowance,
      topup_after: topup,
      type_number: count + 1,
      previous: newest,
      ...(number === account.termsTransaction ? termsRow.toRow(account) : {})
    }
  })
}

/** The keys that were used, those that ended a stored hold apart, with the places of the holds in the order of their ends. */
const recordsJson = ({ changes: { account, closed, records }, seen }: AccountWrite) => {
  let place = seen?.holdsEnded ?? 0
  const all = records.map((record) => ({
    user_id: account.userId,
    ...rowOfRecord(record),
    hold_number: record.hold === undefined ? undefined : (place += 1)
  }))
  const ended = all.filter(({ key }) => closed.includes(key))
  if (ended.length < closed.length) throw new Error("A hold was ended without a record that says how.")
  return { ended, others: all.filter(({ key }) => !closed.includes(key)) }
}

const purchasesJson = ({ changes: { account, purchases } }: AccountWrite) =>
  purchases.map((purchase) => ({ user_id: account.userId, ...purchaseRow.toRow(purchase) }))

/** The number of transactions of an account after which its usage is summed. */
const SUMMED_TOGETHER = 256

/** Accounts whose transactions fill a block. */
const summedJson = ({ changes: { account }, seen }: AccountWrite) => {
  const blocksOf = (count: number) => Math.floor(count / SUMMED_TOGETHER)
  if (blocksOf(account.transactionCount) === blocksOf(seen?.transactionCount ?? 0)) return []
  return [{ user_id: account.userId, upto: account.transactionCount }]
}

/** A parameter of the schema's functions: null if there is nothing to do. */
export const jsonList = (list: ReadonlyArray<unknown>): string | null =>
  list.length === 0 ? null : JSON.stringify(list)

/** The decisions for several accounts, as the parameters of `write_credits`. */
export const creditLists = (writes: ReadonlyArray<AccountWrite>) => {
  const records = writes.map(recordsJson)
  return {
    accounts: jsonList(writes.map(accountJson)),
    seen: writes.map(seenText),
    unseen: jsonList(writes.flatMap(unseenJson)),
    ended: jsonList(records.flatMap(({ ended }) => ended)),
    opened: jsonList(writes.flatMap(openedJson)),
    transactions: jsonList(writes.flatMap(transactionsJson)),
    records: jsonList(records.flatMap(({ others }) => others)),
    purchases: jsonList(writes.flatMap(purchasesJson)),
    summed: jsonList(writes.flatMap(summedJson))
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
  ends: ReadonlyArray<TurnEnd> = []
): Effect.Effect<Written, DatabaseError> => {
  const { accounts, ended, opened, purchases, records, seen, summed, transactions, unseen } = creditLists(writes)
  return Effect.map(
    query<{ missed: ReadonlyArray<string>; database_now: number }>(
      `SELECT ${schema}.write_credits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS missed, ${DATABASE_NOW} AS database_now`,
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
        decidedAt
      ]
    ),
    ([row]) => ({ missed: new Set(row?.missed), databaseNow: row?.database_now })
  )
}
