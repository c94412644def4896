import { Schema } from "effect"
import { MAX_CREDITS } from "./maxCredits.ts"

/** One or more whole credits. The ledger keeps credits as 64-bit integers and bounds every bucket at `MAX_CREDITS`. */
export const PositiveCredits = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_CREDITS }))
