import { type Traces, tracedBy } from "../database/traces.ts"
import {
  type Changes,
  countsOf,
  type EndTurn,
  type LedgerAccount,
  NO_TRANSACTIONS,
  withTransaction,
  type Hold,
  type IdempotencyRecord,
  type OpenHold,
  type PurchaseState
} from "@parley/core/adapter"
import { Effect } from "effect"
import { endRow } from "../chat/PgChatStore.ts"
import type { DatabaseError, Sql } from "../database/Database.ts"
import { DATABASE_NOW } from "./LedgerClock.ts"
import type { Transaction } from "@parley/core"

/**
 * A row of a ledger table as JSON of its row type: `to_json(row)` reads it, `json_populate_recordset` writes it. A new
 * column needs a line in this file and one in the table.
 */
export type JsonRow = Readonly<Record<string, unknown>>

type Columns<A> = { readonly [Name in keyof A]-?: string }

/** Marks a column that holds a time: ISO 8601 in JSON, Unix milliseconds in the core. */
const moment = (column: string): string => `@${column}`

interface Mapping<A> {
  readonly toRow: (value: A) => Record<string, unknown>
  readonly fromRow: (row: JsonRow) => A
}

/** Converts between a value and its row, by the column of each property. Undefined corresponds to null. */
const mapping = <A extends object>(columns: Columns<A>): Mapping<A> => {
  const pairs = Object.entries<string>(columns).map(([name, column]) => {
    const isMoment = column.startsWith("@")
    return { name, column: isMoment ? column.slice(1) : column, isMoment }
  })
  return {
    toRow: (value) => {
      const row: Record<string, unknown> = {}
      for (const { column, isMoment, name } of pairs) {
        const one = (value as Record<string, unknown>)[name]
        row[column] = isMoment && one !== undefined ? new Date(one as number).toISOString() : one
      }
      return row
    },
    fromRow: (row) => {
      const value: Record<string, unknown> = {}
      for (const { column, isMoment, name } of pairs) {
        const one = row[column] ?? undefined
        value[name] = isMoment && one !== undefined ? Date.parse(one as string) : one
      }
      return value as A
    }
  }
}

/** The parts of an account that change with a period or a plan. The transaction that changes them also stores them. */
type Terms = Pick<
  LedgerAccount,
  "tier" | "anchor" | "periodStart" | "nextResetAt" | "periodCredits" | "renewedBy" | "renewedUntil" | "pendingTier"
>

export const termsRow = mapping<Terms>({
  tier: "tier",
  anchor: moment("anchor"),
  periodStart: moment("period_start"),
  nextResetAt: moment("next_reset_at"),
  periodCredits: "period_credits",
  renewedBy: "renewed_by",
  renewedUntil: moment("renewed_until"),
  pendingTier: "pending_tier"
})

/** The parts of an account that every reply changes. */
export const balancesRow = mapping<Omit<LedgerAccount, keyof Terms>>({
  userId: "user_id",
  allowance: "allowance",
  topup: "topup",
  debt: "debt",
  heldAllowance: "held_allowance",
  heldTopup: "held_topup",
  openHolds: "open_holds",
  transactionCount: "transaction_count",
  version: "version",
  byType: "by_type",
  termsTransaction: "terms_transaction",
  holdsOpened: "holds_opened",
  holdsEnded: "holds_ended",
  usageDay: "usage_day",
  usageByKind: "usage_by_kind"
})

export const accountOfRow = (row: JsonRow): LedgerAccount => ({ ...balancesRow.fromRow(row), ...termsRow.fromRow(row) })

const transactionRow = mapping<Omit<Transaction, "id"> & { readonly number: number }>({
  number: "number",
  type: "type",
  amount: "amount",
  allowanceAmount: "allowance_amount",
  topupAmount: "topup_amount",
  balanceAfter: "balance_after",
  model: "model",
  source: "source",
  charge: "charge",
  reference: "reference",
  createdAt: moment("created_at"),
  receipt: "receipt"
})

export const rowOfTransaction = ({ id, ...rest }: Transaction) => transactionRow.toRow({ ...rest, number: Number(id) })

export const transactionOfRow = (row: JsonRow): Transaction => {
  const { number, ...rest } = transactionRow.fromRow(row)
  return { id: String(number), ...rest }
}

const openHoldRow = mapping<Omit<OpenHold, "hold"> & Omit<Hold, "from" | "amount"> & Hold["from"]>({
  userId: "user_id",
  key: "key",
  allowance: "allowance",
  topup: "topup",
  periodStart: moment("period_start"),
  expiresAt: moment("expires_at"),
  fingerprint: "fingerprint",
  source: "source",
  reservationId: "reservation_id",
  draft: "draft",
  outputTokens: "output_tokens"
})

export const rowOfOpenHold = ({ hold: { amount: _amount, from, ...hold }, ...open }: OpenHold) =>
  openHoldRow.toRow({ ...open, ...hold, ...from })

export const openHoldOfRow = (row: JsonRow): OpenHold => {
  const { allowance, expiresAt, key, periodStart, topup, userId, ...open } = openHoldRow.fromRow(row)
  const from = { allowance, topup }
  return { ...open, hold: { userId, key, amount: allowance + topup, from, periodStart, expiresAt } }
}

const rememberedHold = mapping<Hold["from"] & Pick<Hold, "periodStart" | "expiresAt">>({
  allowance: "hold_allowance",
  topup: "hold_topup",
  periodStart: moment("hold_period_start"),
  expiresAt: moment("hold_expires_at")
})

export const rowOfRecord = ({ at, fingerprint, hold, key, transaction }: IdempotencyRecord) => ({
  key,
  fingerprint,
  used_at: new Date(at).toISOString(),
  number: transaction && Number(transaction.id),
  ...(hold && rememberedHold.toRow({ ...hold, ...hold.from }))
})

/** Reads a used key from its row and from the row of the transaction that answers it. */
export const recordOfRow = (row: JsonRow, transaction: JsonRow | null): IdempotencyRecord => {
  const { allowance, expiresAt, periodStart, topup } = rememberedHold.fromRow(row)
  const named = { userId: row["user_id"] as string, key: row["key"] as string }
  return {
    key: named.key,
    fingerprint: row["fingerprint"] as string,
    at: Date.parse(row["used_at"] as string),
    hold:
      row["hold_allowance"] === null
        ? undefined
        : { ...named, amount: allowance + topup, from: { allowance, topup }, periodStart, expiresAt },
    transaction: transaction === null ? undefined : transactionOfRow(transaction)
  }
}

export const purchaseRow = mapping<PurchaseState>({
  charge: "charge",
  granted: "granted",
  paid: "paid",
  clawedBack: "clawed_back",
  reports: "reports"
})

/** The decision about one account, and the state from which it was made. */
export interface AccountWrite {
  readonly changes: Changes
  /** The account as it was read; undefined if there was none. */
  readonly seen: LedgerAccount | undefined
  /** Keys that were assumed to be unused, without a read. */
  readonly unseen: ReadonlyArray<string>
}

/** The usage of an account is summed each time it has this many further transactions. */
const SUMMED_TOGETHER = 256

/** The rows of a write, named as the parameters of `write_credits`. */
interface CreditRows {
  readonly accounts: Array<object>
  /**
   * The balances of each account as they were read, which the database compares with the stored ones; null for a new
   * account.
   */
  readonly seen: Array<string | null>
  readonly unseen: Array<object>
  readonly ended: Array<object>
  readonly opened: Array<object>
  readonly transactions: Array<object>
  readonly records: Array<object>
  readonly purchases: Array<object>
  readonly summed: Array<object>
}

/**
 * Adds the account with its transactions, and the sum of usage that falls due if these transactions complete a block.
 */
const addAccount = (rows: CreditRows, { changes: { account, transactions }, seen }: AccountWrite): void => {
  const { termsTransaction, transactionCount, userId } = account
  const terms = seen?.termsTransaction === termsTransaction ? undefined : termsRow.toRow(account)
  // The terms are left out if they have not changed, as with every reply: their times cost more than all other columns.
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

/**
 * Adds the used keys, in a list of their own if the key ended a stored hold. Numbers the holds in the order in which
 * they ended.
 */
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

/** Serializes a list as a parameter of the database's functions; null if the list is empty. */
export const jsonList = (list: ReadonlyArray<unknown>): string | null =>
  list.length === 0 ? null : JSON.stringify(list)

/** Turns the decisions about several accounts into the parameters of `write_credits`. */
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
 * The end of a reply, which the statement that writes accounts also stores. If `payer` is given, the database stores it
 * only if it writes the changes of that account; otherwise always.
 */
export interface TurnEnd {
  readonly payer: string | undefined
  readonly turn: EndTurn
}

/** The result of a write. */
export interface Written {
  /** The users for whom nothing was written, because their account had changed or the assumed time was wrong. */
  readonly missed: ReadonlySet<string>
  /** The database's time in Unix milliseconds. */
  readonly databaseNow: number | undefined
}

/**
 * Writes the decisions about several accounts in one statement, with the replies that end with them. `decidedAt` is the
 * assumed time of the database in Unix milliseconds, which the database checks; null if no check is needed. Fails with
 * SQLSTATE 40001, and writes nothing at all, if a key that was assumed to be unused is used, or if a hold that was
 * assumed to be open is not.
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
