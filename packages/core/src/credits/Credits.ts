import { Schema } from "effect"

/**
 * Credits are whole numbers. The ledger keeps them as 64-bit integers and bounds every bucket at 2^53 - 1,
 * so that a JSON number always carries the exact amount.
 */
export const MAX_CREDITS = Number.MAX_SAFE_INTEGER

/** One or more whole credits. */
export const PositiveCredits = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_CREDITS }))
