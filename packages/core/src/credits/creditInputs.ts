import { Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { ChosenKey } from "./ledgerKeys.ts"
import { MAX_CREDITS } from "./maxCredits.ts"
import { CheckedByService, EventKey, Offset, PageLimit } from "../storage/inputs.ts"

/** One or more whole credits. The ledger keeps credits as 64-bit integers and bounds every bucket at `MAX_CREDITS`. */
export const PositiveCredits = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_CREDITS }))

/** Accepts any number as an amount, because the ledger itself names the error of an amount that it refuses. */
const Amount = Schema.Number

const named = { userId: UserId, key: EventKey }

const bound = {
  ...named,
  amount: Amount,
  minimumAmount: Schema.optional(Amount),
  source: CheckedByService,
  dailyCap: Schema.optional(Amount)
}

/** Accepts any number of seconds: `WorkMeter` checks the lifetime together with the other inputs of metered work. */
const lifetime = { lifetimeSeconds: Schema.optional(Amount) }

/** The schemas of the inputs of credit calls. */
export const History = Schema.Struct({
  userId: UserId,
  limit: PageLimit,
  offset: Offset,
  type: Schema.optional(Schema.String),
  upto: Schema.optional(Offset)
})
export const Grant = Schema.Struct({
  userId: UserId,
  key: ChosenKey,
  amount: Amount,
  reason: Schema.optional(Schema.NonEmptyString)
})
export const Usage = Schema.Struct({ userId: UserId, from: Schema.String, to: Schema.String })
export const Adjustment = Schema.Struct({ userId: UserId, key: ChosenKey, amount: Amount, reason: Schema.String })
export const TierChoice = Schema.Struct({ ...named, tier: Schema.String })
export const Refund = Schema.Struct({
  userId: UserId,
  charge: Schema.String,
  granted: Amount,
  paid: Amount,
  refunded: Amount,
  reportedAt: Amount,
  by: Schema.optional(Schema.Literal("operator"))
})
const Given = Schema.optional(CheckedByService)
/**
 * To name metered work, a caller may pass the whole object with which it reserved the work; fields beside the name are
 * not checked here.
 */
const ofWork = { ...named, amount: Given, minimumAmount: Given, source: Given, dailyCap: Given, lifetimeSeconds: Given }
export const Work = Schema.Struct(ofWork)
export const BoundedWork = Schema.Struct(bound)
export const ReservedWork = Schema.Struct({ ...bound, ...lifetime })
export const RenewedWork = Schema.Struct({ ...ofWork, ...lifetime })
export const SettledWork = Schema.Struct({ ...ofWork, dailyCap: Schema.optional(Amount) })
