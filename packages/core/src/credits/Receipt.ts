import type { ModelPrice } from "../models/Model.ts"
import type { Split } from "./rules/buckets.ts"
import type { UsageSource } from "./UsageSource.ts"
import type { Usage } from "../models/Usage.ts"

/** Why a reply ended. */
export type ReplyEnd = "completed" | "length" | "stopped" | "failed" | "expired"

/** What a reply cost and why: kept with its ledger row. */
export interface Receipt {
  readonly model: string
  /** What the credits were held for: a chat, a bot, a meter or a key. */
  readonly source: UsageSource
  /** The prices in force when the credits were held. */
  readonly price: ModelPrice
  readonly usage: Usage
  readonly held: number
  /** What the usage costs by the price, and never more than was held. */
  readonly charged: number
  /** True where tokens were counted here because the provider's own figure was not available. */
  readonly estimated: boolean
  readonly ended: ReplyEnd
  /** Which buckets of the hold paid: their sum is `charged`. */
  readonly paidFrom: Split
}

/** What the caller of `settle` knows; the ledger adds what was held, for what, and which bucket paid. */
export type ReceiptDraft = Omit<Receipt, "source" | "held" | "charged" | "paidFrom">
