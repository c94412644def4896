import type { Spender } from "./Spender.ts"
import type { ModelPrice } from "../models/Model.ts"
import type { Split } from "./Account.ts"
import type { Usage } from "../models/Usage.ts"

/** Why a reply ended. */
export type ReplyEnd = "completed" | "length" | "stopped" | "failed" | "expired"

/** The end of metered work: `expired` if its process died, or gave no sign of life for longer than a hold lives. */
export type WorkEnd = "completed" | "expired"

/** The rewrite of a reply's question for the search, by another call of a model: a part of the reply's cost. */
export interface QuestionRewrite {
  readonly model: string
  /** The prices in force when the credits were held. */
  readonly price: ModelPrice
  readonly usage: Usage
  /** As that of the reply. */
  readonly estimated: boolean
  /** The part of the reply's cost, in whole credits: the price of the usage, at most what was held for the rewrite. */
  readonly credits: number
}

/** The facts of a reply that the caller of `settle` provides. */
export interface ReplyReceiptDraft {
  readonly model: string
  /** The reply's conversation, for the reply's events. */
  readonly chatId?: string | undefined
  /** The prices in force when the credits were held. */
  readonly price: ModelPrice
  readonly usage: Usage
  /** True if tokens were counted here because the provider's own figure was not available. */
  readonly estimated: boolean
  readonly ended: ReplyEnd
  /** If the question was rewritten: the cost of the reply is the price of `usage`, plus the credits of this. */
  readonly rewrite?: QuestionRewrite | undefined
}

/** One line of what metered work cost. */
export interface ReceiptLine {
  /** The used thing, in words for the receipt's reader: 1 to 200 characters, for example `image 1024 x 1024`. */
  readonly label: string
  /** The number of units, zero or more; need not be whole. */
  readonly quantity: number
  /** Credits for one unit, zero or more; need not be whole. */
  readonly unitPrice: number
}

/** The facts of metered work that the caller of `settle` provides. */
export interface WorkReceiptDraft {
  readonly lines: ReadonlyArray<ReceiptLine>
  readonly ended: WorkEnd
  /** The result of the work as JSON text, if the same key is to return it again. */
  readonly result?: string | undefined
  /**
   * Whole credits that a sweeper charged for this work before its report came; none unless given. The cost of the work
   * is this plus `charged`.
   */
  readonly chargedBefore?: number | undefined
}

/**
 * The facts that the caller of `settle` provides; the ledger adds the held amount, its source, and the buckets that
 * paid.
 */
export type ReceiptDraft = ReplyReceiptDraft | WorkReceiptDraft

/** The facts that the ledger adds to a receipt. */
export interface ReceiptPayment {
  /** The spender for which the credits were held. */
  readonly source: Spender
  readonly held: number
  /** The price of the usage; never more than the held amount. */
  readonly charged: number
  /** The buckets of the hold that paid: their sum is `charged`. */
  readonly paidFrom: Split
}

/** The cost of a reply and its calculation: stored with its ledger row. */
export type ReplyReceipt = ReplyReceiptDraft & ReceiptPayment
/** The cost of metered work and its calculation: stored with its ledger row. */
export type WorkReceipt = WorkReceiptDraft & ReceiptPayment
export type Receipt = ReplyReceipt | WorkReceipt

/** Distinguishes the two, for drafts and receipts alike. */
export const isOfReply = <R extends ReceiptDraft>(receipt: R): receipt is Extract<R, ReplyReceiptDraft> =>
  "model" in receipt

/** The model that answered; undefined for metered work, and without a receipt. */
export const modelOf = (receipt: Receipt | undefined): string | undefined =>
  receipt !== undefined && isOfReply(receipt) ? receipt.model : undefined

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
