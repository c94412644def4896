import type { ModelPrice } from "../models/Model.ts"
import type { Split } from "./Account.ts"
import type { Spender } from "./Spender.ts"
import type { Usage } from "../models/Usage.ts"

/** Why a reply ended. */
export type ReplyEnd = "completed" | "length" | "stopped" | "failed" | "expired"

/** Why metered work ended: `expired` where its process died, or gave no sign of life for longer than a hold lives. */
export type WorkEnd = "completed" | "expired"

/** What the caller of `settle` knows of a reply. */
export interface ReplyReceiptDraft {
  readonly model: string
  /** The conversation the reply is in, for events that tell of it. */
  readonly chatId?: string | undefined
  /** The prices in force when the credits were held. */
  readonly price: ModelPrice
  readonly usage: Usage
  /** True where tokens were counted here because the provider's own figure was not available. */
  readonly estimated: boolean
  readonly ended: ReplyEnd
}

/** One line of what metered work cost. */
export interface ReceiptLine {
  /** What was used, in the words of the receipt's reader: 1 to 200 characters, for example `image 1024 x 1024`. */
  readonly label: string
  /** How many units, zero or more; need not be whole. */
  readonly quantity: number
  /** Credits for one unit, zero or more; need not be whole. */
  readonly unitPrice: number
}

/** What the caller of `settle` knows of metered work. */
export interface WorkReceiptDraft {
  readonly lines: ReadonlyArray<ReceiptLine>
  readonly ended: WorkEnd
  /** What the work gave, as JSON text, where it is to be given again for the same key. */
  readonly result?: string | undefined
  /**
   * Whole credits that a sweeper charged for this work before its report came; none unless given. Together with `charged`
   * they are what the work cost.
   */
  readonly chargedBefore?: number | undefined
}

/** What the caller of `settle` knows; the ledger adds what was held, for what, and which bucket paid. */
export type ReceiptDraft = ReplyReceiptDraft | WorkReceiptDraft

/** What the ledger adds to a receipt. */
export interface Payer {
  /** What the credits were held for: a chat, a bot, a meter or a key. */
  readonly source: Spender
  readonly held: number
  /** What was used costs this by its price, and never more than was held. */
  readonly charged: number
  /** Which buckets of the hold paid: their sum is `charged`. */
  readonly paidFrom: Split
}

/** What a reply cost and why: kept with its ledger row. */
export type ReplyReceipt = ReplyReceiptDraft & Payer
/** What metered work cost and why: kept with its ledger row. */
export type WorkReceipt = WorkReceiptDraft & Payer
export type Receipt = ReplyReceipt | WorkReceipt

/** Tells the two apart, drafts and receipts alike. */
export const isOfReply = <R extends ReceiptDraft>(receipt: R): receipt is Extract<R, ReplyReceiptDraft> =>
  "model" in receipt

/** The model that answered; undefined for metered work, and without a receipt. */
export const modelOf = (receipt: Receipt | undefined): string | undefined =>
  receipt !== undefined && isOfReply(receipt) ? receipt.model : undefined
