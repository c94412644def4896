import { Context, Schema } from "effect"
import { whole } from "../../storage/inputs.ts"

const Milliseconds = whole(1, Number.MAX_SAFE_INTEGER, "a whole number of milliseconds from 1")

/** The retention of payment events, in milliseconds. */
export const PaymentRetentionData = Schema.Struct({
  /** The content of events that are done. */
  doneMs: Milliseconds,
  /** Events without a person here, or that wait for a reference that never arrived. */
  unmatchedMs: Milliseconds
})
export type PaymentRetentionData = typeof PaymentRetentionData.Type

const DAY_MS = 86_400_000

/** 90 days for both unless configured. */
export class PaymentRetention extends Context.Reference<PaymentRetentionData>(
  "@parley/core/billing/upkeep/PaymentRetention",
  { defaultValue: () => ({ doneMs: 90 * DAY_MS, unmatchedMs: 90 * DAY_MS }) }
) {}
