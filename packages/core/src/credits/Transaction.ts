import type { Receipt } from "./Receipt.ts"
import type { UsageSource } from "./UsageSource.ts"

/** Why a balance moved. Holds move nothing and write no transaction. */
export const TRANSACTION_TYPES = ["usage", "reset", "topup", "grant", "refund", "adjustment"] as const
export type TransactionType = (typeof TRANSACTION_TYPES)[number]

/**
 * One row of the append-only ledger. For each account the sum of `amount` equals `allowance + topup - debt`;
 * `amount - allowanceAmount - topupAmount` is what the row repaid of (plus) or added to (minus) the debt.
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
  /** What spent the credits; of usage alone. */
  readonly source: UsageSource | undefined
  /** The payment whose purchase the row granted, took back or gave back; of purchases alone. */
  readonly charge: string | undefined
  /** The business event behind the row, for example `reply:<message id>`. */
  readonly reference: string
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly receipt: Receipt | undefined
}
