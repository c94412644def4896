import { Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { ChosenKey } from "./ledgerKeys.ts"
import { MAX_CREDITS } from "./maxCredits.ts"
import { CheckedByService, EventKey, Offset, PageLimit } from "../storage/inputs.ts"

/** One or more whole credits. The ledger keeps credits as 64-bit integers and bounds every bucket at `MAX_CREDITS`. */
export const PositiveCredits = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_CREDITS }))

/** Amounts are any numbers here: the ledger names the failure of those that it refuses. */
const Amount = Schema.Number

const named = { userId: UserId, key: EventKey }

const bound = {
  ...named,
  amount: Amount,
  minimumAmount: Schema.optional(Amount),
  source: CheckedByService,
  dailyCap: Schema.optional(Amount)
}

/** Seconds are checked with the rest of metered work, by the service. */
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
/** Metered work may be named by the whole of its bound. */
const ofWork = { ...named, amount: Given, minimumAmount: Given, source: Given, dailyCap: Given, lifetimeSeconds: Given }
export const Work = Schema.Struct(ofWork)
export const BoundedWork = Schema.Struct(bound)
export const ReservedWork = Schema.Struct({ ...bound, ...lifetime })
export const RenewedWork = Schema.Struct({ ...ofWork, ...lifetime })
export const SettledWork = Schema.Struct({ ...ofWork, dailyCap: Schema.optional(Amount) })
