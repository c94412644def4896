import { Context } from "effect"

/** How long the inbox keeps what the payment provider reported, in milliseconds. */
export interface PaymentRetentionData {
  /** The content of events that are done. */
  readonly doneMs: number
  /** Events that name nobody here, or wait for something that never came. */
  readonly unmatchedMs: number
}

const DAY_MS = 86_400_000

/** 90 days for both unless configured. */
export class PaymentRetention extends Context.Reference<PaymentRetentionData>(
  "@parley/core/billing/upkeep/PaymentRetention",
  { defaultValue: () => ({ doneMs: 90 * DAY_MS, unmatchedMs: 90 * DAY_MS }) }
) {}
