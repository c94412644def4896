import type { Receipt } from "./Receipt.ts"
import type { Spender } from "./Spender.ts"

/** Why a balance moved. Holds move nothing and write no transaction. */
export const TRANSACTION_TYPES = ["usage", "reset", "topup", "grant", "refund", "adjustment"] as const
export type TransactionType = (typeof TRANSACTION_TYPES)[number]

/**
 * One row of the append-only ledger. For each account the sum of `amount` equals `allowance + topup - debt`; `amount -
 * allowanceAmount - topupAmount` is the part of the row that repaid (plus) or added to (minus) the debt.
 */
export interface Transaction {
  /** The row's number in its account, from 1 without gaps, as text. */
  readonly id: string
  readonly type: TransactionType
  /** Signed change of `allowance + topup - debt`. */
  readonly amount: number
  readonly allowanceAmount: number
  readonly topupAmount: number
  /** `allowance + topup - debt` after this row. */
  readonly balanceAfter: number
  readonly model: string | undefined
  /** The source that spent the credits; only for usage. */
  readonly source: Spender | undefined
  /** The payment whose purchase the row granted, took back or returned; for purchases alone. */
  readonly charge: string | undefined
  /** The business event behind the row, for example `reply:<message id>`. */
  readonly reference: string
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly receipt: Receipt | undefined
}

/**
 * The account's counts of transactions by type: for each of `TRANSACTION_TYPES`, in that order, the count and the
 * number of the newest, 0 if there is none. With them any page of one type is found without counting.
 */
export type TransactionCounts = ReadonlyArray<number>

export const NO_TRANSACTIONS: TransactionCounts = TRANSACTION_TYPES.flatMap(() => [0, 0])

/** The count of transactions of a type, and the number of the newest. */
export const countsOf = (
  counts: TransactionCounts,
  type: TransactionType
): { readonly count: number; readonly newest: number } => {
  const place = 2 * TRANSACTION_TYPES.indexOf(type)
  return { count: counts[place] ?? 0, newest: counts[place + 1] ?? 0 }
}

/** `counts` with one more transaction. */
export const withTransaction = (
  counts: TransactionCounts,
  type: TransactionType,
  number: number
): TransactionCounts => {
  const place = 2 * TRANSACTION_TYPES.indexOf(type)
  const changed = [...counts]
  changed[place] = (counts[place] ?? 0) + 1
  changed[place + 1] = number
  return changed
}
