import type { ModelPrice } from "../models/Model.ts"
import type { Split } from "./Account.ts"
import type { Spender } from "./Spender.ts"
import type { Usage } from "../models/Usage.ts"

/** Why a reply ended. */
export type ReplyEnd = "completed" | "length" | "stopped" | "failed" | "expired"

/** The end of metered work: `expired` if its process died, or gave no sign of life for longer than a hold lives. */
export type WorkEnd = "completed" | "expired"

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
export interface Payer {
  /** The source for which the credits were held: a chat, a bot, a meter or a key. */
  readonly source: Spender
  readonly held: number
  /** The price of the usage; never more than the held amount. */
  readonly charged: number
  /** The buckets of the hold that paid: their sum is `charged`. */
  readonly paidFrom: Split
}

/** The cost of a reply and its calculation: stored with its ledger row. */
export type ReplyReceipt = ReplyReceiptDraft & Payer
/** The cost of metered work and its calculation: stored with its ledger row. */
export type WorkReceipt = WorkReceiptDraft & Payer
export type Receipt = ReplyReceipt | WorkReceipt

/** Distinguishes the two, for drafts and receipts alike. */
export const isOfReply = <R extends ReceiptDraft>(receipt: R): receipt is Extract<R, ReplyReceiptDraft> =>
  "model" in receipt

/** The model that answered; undefined for metered work, and without a receipt. */
export const modelOf = (receipt: Receipt | undefined): string | undefined =>
  receipt !== undefined && isOfReply(receipt) ? receipt.model : undefined
