import type { Spender } from "./Spender.ts"
import type { ModelPrice } from "../models/Model.ts"
import type { Split } from "./Account.ts"
import type { Usage } from "../models/Usage.ts"

/** The reason why a reply ended. */
export type ReplyEnd = "completed" | "length" | "stopped" | "failed" | "expired"

/** The end of metered work: `expired` if its process died, or did not renew the hold in time. */
export type WorkEnd = "completed" | "expired"

/**
 * The rewrite of a reply's question for the search, made by another call of a model. Its cost is part of the reply's
 * cost.
 */
export interface QuestionRewrite {
  readonly model: string
  /** The prices in force when the credits were held. */
  readonly price: ModelPrice
  readonly usage: Usage
  /** True if Parley counted the tokens, because the vendor reported none. */
  readonly estimated: boolean
  /**
   * The credits of the rewrite within the reply's cost: the price of `usage`, at most the credits held for the rewrite.
   */
  readonly credits: number
}

/** The facts of a reply that the caller of `settle` provides. */
export interface ReplyReceiptDraft {
  readonly model: string
  /** The chat of the reply, for the events about the reply. */
  readonly chatId?: string | undefined
  /** The prices in force when the credits were held. */
  readonly price: ModelPrice
  readonly usage: Usage
  /** True if Parley counted the tokens, because the vendor reported none. */
  readonly estimated: boolean
  readonly ended: ReplyEnd
  /**
   * The rewrite of the question, if there was one. The cost of the reply is then the price of `usage`, plus the credits
   * of the rewrite.
   */
  readonly rewrite?: QuestionRewrite | undefined
}

/** One line of the cost of metered work. */
export interface ReceiptLine {
  /** The used item, in words for the receipt's reader: 1 to 200 characters, for example `image 1024 x 1024`. */
  readonly label: string
  /** The number of units, zero or more; may be a fraction. */
  readonly quantity: number
  /** Credits for one unit, zero or more; may be a fraction. */
  readonly unitPrice: number
}

/** The facts of metered work that the caller of `settle` provides. */
export interface WorkReceiptDraft {
  readonly lines: ReadonlyArray<ReceiptLine>
  readonly ended: WorkEnd
  /** The result of the work as JSON text, if later calls with the same key are to return it. */
  readonly result?: string | undefined
  /**
   * Whole credits that a sweeper charged for this work before its report came; none unless given. The cost of the work
   * is `chargedBefore` plus `charged`.
   */
  readonly chargedBefore?: number | undefined
}

/**
 * The facts that the caller of `settle` provides; the ledger adds the held amount, the spender, and the buckets that
 * paid.
 */
export type ReceiptDraft = ReplyReceiptDraft | WorkReceiptDraft

/** The facts that the ledger adds to a receipt. */
export interface ReceiptPayment {
  /** The spender for which the credits were held. */
  readonly source: Spender
  readonly held: number
  /** The charged credits: the price of the usage, at most the held amount. */
  readonly charged: number
  /** The buckets of the hold that paid: their sum is `charged`. */
  readonly paidFrom: Split
}

/** The cost of a reply and its calculation: stored with its ledger row. */
export type ReplyReceipt = ReplyReceiptDraft & ReceiptPayment
/** The cost of metered work and its calculation: stored with its ledger row. */
export type WorkReceipt = WorkReceiptDraft & ReceiptPayment
export type Receipt = ReplyReceipt | WorkReceipt

/** Returns true for the draft or the receipt of a reply, false for that of metered work. */
export const isOfReply = <R extends ReceiptDraft>(receipt: R): receipt is Extract<R, ReplyReceiptDraft> =>
  "model" in receipt

/** The model that answered; undefined for metered work, or if there is no receipt. */
export const modelOf = (receipt: Receipt | undefined): string | undefined =>
  receipt !== undefined && isOfReply(receipt) ? receipt.model : undefined

/** The reasons why a balance changed. Opening a hold changes no balance and writes no transaction. */
export const TRANSACTION_TYPES = ["usage", "reset", "topup", "grant", "refund", "adjustment"] as const
export type TransactionType = (typeof TRANSACTION_TYPES)[number]

/**
 * One row of the append-only ledger. For each account the sum of `amount` equals `allowance + topup - debt`; `amount -
 * allowanceAmount - topupAmount` is the part of the row that changed the debt: positive if it repaid debt, negative if
 * it added debt.
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
  /** The spender of the credits; only for usage. */
  readonly source: Spender | undefined
  /** The charge of the purchase that the row granted, took back or returned; undefined for rows without a purchase. */
  readonly charge: string | undefined
  /** The business event behind the row, for example `reply:<message id>`. */
  readonly reference: string
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly receipt: Receipt | undefined
}

/**
 * For each of `TRANSACTION_TYPES`, in that order: the number of the account's transactions of the type, and the number
 * of the newest, 0 if there is none. With them, a page of one type is found without counting rows.
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

/** Returns `counts` with one more transaction. */
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
