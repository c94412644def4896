import {
  type Changes,
  countsOf,
  type EndTurn,
  type IdempotencyRecord,
  type LedgerAccount,
  NO_TRANSACTIONS,
  withTransaction
} from "@parley/core/adapter"
import { Effect } from "effect"
import { endRow } from "../chat/turnRow.ts"
import type { DatabaseError, Sql } from "../database/Database.ts"
import { DATABASE_NOW } from "./LedgerClock.ts"

/** What was decided for one account, and what it was decided from. */
export interface AccountWrite {
  readonly changes: Changes
  /** The account as it was seen; undefined where there was none. */
  readonly seen: LedgerAccount | undefined
  /** Keys that were taken to be unused without looking. */
  readonly unseen: ReadonlyArray<string>
}

/** The terms as columns, times in Unix milliseconds. */
const termsJson = (account: LedgerAccount) => ({
  tier: account.tier,
  anchor: account.anchor,
  period_start: account.periodStart,
  next_reset_at: account.nextResetAt,
  period_credits: account.periodCredits,
  renewed_by: account.renewedBy,
  renewed_until: account.renewedUntil,
  pending_tier: account.pendingTier
})

const accountJson = ({ changes: { account: a }, seen }: AccountWrite) => ({
  user_id: a.userId,
  allowance: a.allowance,
  topup: a.topup,
  debt: a.debt,
  held_allowance: a.heldAllowance,
  held_topup: a.heldTopup,
  open_holds: a.openHolds,
  transaction_count: a.transactionCount,
  version: a.version,
  by_type: a.byType,
  terms_transaction: a.termsTransaction,
  holds_opened: a.holdsOpened,
  holds_ended: a.holdsEnded,
  usage_day: a.usageDay,
  usage_by_kind: a.usageByKind,
  seen:
    seen &&
    `${seen.allowance} ${seen.topup} ${seen.debt} ${seen.heldAllowance} ${seen.heldTopup} ${seen.transactionCount}`,
  // Left out where they stay, as with replies.
  ...(seen?.termsTransaction === a.termsTransaction ? {} : termsJson(a))
})

const unseenJson = ({ changes, unseen }: AccountWrite) =>
  unseen.map((key) => ({ user_id: changes.account.userId, key }))

const openedJson = ({ changes: { account, opened } }: AccountWrite) =>
  opened.map(({ hold, source, fingerprint, reservationId, draft }) => ({
    user_id: account.userId,
    key: hold.key,
    ...hold.from,
    period_start: hold.periodStart,
    expires_at: hold.expiresAt,
    fingerprint,
    source,
    reservation_id: reservationId,
    draft
  }))

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
      number,
      type: transaction.type,
      amount: transaction.amount,
      allowance_amount: transaction.allowanceAmount,
      topup_amount: transaction.topupAmount,
      balance_after: transaction.balanceAfter,
      model: transaction.model,
      source: transaction.source,
      charge: transaction.charge,
      reference: transaction.reference,
      created_at: transaction.createdAt,
      receipt: transaction.receipt,
      allowance_after: allowance,
      topup_after: topup,
      type_number: count + 1,
      previous: newest,
      ...(number === account.termsTransaction ? termsJson(account) : {})
    }
  })
}

/** The places of the holds that end, by their keys, in the order in which the account's holds ended. */
const endNumbers = ({ changes: { records }, seen }: AccountWrite): ReadonlyMap<string, number> => {
  const ended = records.filter(({ hold }) => hold !== undefined)
  return new Map(ended.map(({ key }, index) => [key, (seen?.holdsEnded ?? 0) + index + 1]))
}

/** Every hold that ends does so under a record of its own key; the rest of that record is the hold as it is stored. */
const endedJson = (write: AccountWrite) => {
  const { account, closed, records } = write.changes
  const places = endNumbers(write)
  return closed.map((key) => {
    const record = records.find((one) => one.key === key)
    if (record === undefined) throw new Error("A hold was ended without a record that says how.")
    return {
      user_id: account.userId,
      key,
      fingerprint: record.fingerprint,
      used_at: record.at,
      number: numberOf(record),
      hold_number: places.get(key)
    }
  })
}

const numberOf = ({ transaction }: IdempotencyRecord) =>
  transaction === undefined ? undefined : Number(transaction.id)

const recordsJson = (write: AccountWrite) => {
  const { account, closed, records } = write.changes
  const places = endNumbers(write)
  return records
    .filter(({ key }) => !closed.includes(key))
    .map((record) => ({
      user_id: account.userId,
      key: record.key,
      fingerprint: record.fingerprint,
      used_at: record.at,
      number: numberOf(record),
      hold_allowance: record.hold?.from.allowance,
      hold_topup: record.hold?.from.topup,
      hold_period_start: record.hold?.periodStart,
      hold_expires_at: record.hold?.expiresAt,
      hold_number: places.get(record.key)
    }))
}

const purchasesJson = ({ changes: { account, purchases } }: AccountWrite) =>
  purchases.map(({ charge, granted, paid, clawedBack, reports }) => ({
    user_id: account.userId,
    charge,
    granted,
    paid,
    clawed_back: clawedBack,
    reports
  }))

/** After so many transactions of an account its usage is summed. */
const SUMMED_TOGETHER = 256

/** Accounts whose transactions fill a block. */
const summedJson = ({ changes: { account }, seen }: AccountWrite) => {
  const blocksOf = (count: number) => Math.floor(count / SUMMED_TOGETHER)
  if (blocksOf(account.transactionCount) === blocksOf(seen?.transactionCount ?? 0)) return []
  return [{ user_id: account.userId, upto: account.transactionCount }]
}

/** A parameter of the schema's functions: null where there is nothing to do. */
export const jsonList = (list: ReadonlyArray<unknown>): string | null =>
  list.length === 0 ? null : JSON.stringify(list)

/** What was decided for several accounts, as the parameters of `write_credits`. */
export const creditLists = (writes: ReadonlyArray<AccountWrite>) => ({
  accounts: jsonList(writes.map(accountJson)),
  unseen: jsonList(writes.flatMap(unseenJson)),
  ended: jsonList(writes.flatMap(endedJson)),
  opened: jsonList(writes.flatMap(openedJson)),
  transactions: jsonList(writes.flatMap(transactionsJson)),
  records: jsonList(writes.flatMap(recordsJson)),
  purchases: jsonList(writes.flatMap(purchasesJson)),
  summed: jsonList(writes.flatMap(summedJson))
})

/** The end of a reply that is written with the changes of its payer or, without one, in any case. */
export interface TurnEnd {
  readonly payer: string | undefined
  readonly turn: EndTurn
}

/** What became of a write. */
export interface Written {
  /** Users for whom nothing was written: their account was not as it was seen, or the time not what it was taken to be. */
  readonly missed: ReadonlySet<string>
  /** The database's time in Unix milliseconds. */
  readonly databaseNow: number | undefined
}

/**
 * Writes what was decided for several accounts, with the replies that end with it, in one statement. `decidedAt` is the time in Unix milliseconds that was
 * taken to be the database's, and is checked; null where it need not be. Fails, with SQLSTATE 40001 and nothing written at all, where a key taken to be unused is
 * not, or a hold taken to be open is not.
 */
export const writeChanges = (
  query: Sql["query"],
  schema: string,
  writes: ReadonlyArray<AccountWrite>,
  decidedAt: number | null,
  ends: ReadonlyArray<TurnEnd> = []
): Effect.Effect<Written, DatabaseError> => {
  const { accounts, ended, opened, purchases, records, summed, transactions, unseen } = creditLists(writes)
  return Effect.map(
    query<{ missed: ReadonlyArray<string>; database_now: number }>(
      `SELECT ${schema}.write_credits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS missed, ${DATABASE_NOW} AS database_now`,
      [
        accounts,
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
