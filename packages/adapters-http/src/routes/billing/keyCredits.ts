import { type ServiceKey, UserId, type WorkPayment } from "@parley/core"
import { AccessList, WorkMeter } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { keyAccess } from "../../access/secretAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { choice, decimal, named, orNull, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const MAX_LINES = 50

/** The key of the business event behind a service's call. A repeated call with the same key has no second effect. */
export const EventKey = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._~:-]{1,140}$/, {
    message: "Expected 1 to 140 letters, digits, dots, dashes, colons, _ or ~"
  })
)

const Key = EventKey.annotate({
  description:
    "The business event that is paid, for example `order-7`. A key of a person is paid once: the same request again gets the first answer, other content is refused. After a hold that was released, or expired uncharged, `reserve` begins another attempt under the same key."
})

export const Credits = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

const LineBody = named("WorkLine", "A line of metered work.", {
  label: text("The kind of usage, as people read it on the receipt."),
  quantity: decimal("The quantity of the line."),
  unitPrice: decimal("The credits per unit.")
})

const Lines = Schema.Array(LineBody).check(Schema.isMaxLength(MAX_LINES)).annotate({
  description:
    "The usage. The cost is `ceil(sum(quantity * unitPrice))` credits, and at most the held amount; `uncovered` has the rest. A settlement with other lines than the first one is refused."
})

const Lifetime = Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))).annotate({
  description:
    "The lifetime of the hold from now without a renewal, in seconds; a minute unless the server sets another."
})

const Name = { userId: UserId, key: Key }

const ReserveBody = named("ReserveCredits", "A request to hold credits.", {
  ...Name,
  amount: Credits.annotate({ description: "The most it may cost, in whole credits: held until it is settled." }),
  minimumAmount: Schema.optionalKey(Credits).annotate({
    description: "The least useful amount, if the balance has less; `amount` unless given."
  }),
  lifetimeSeconds: Lifetime
})

const HoldBody = named("Hold", "Credits that are held for work.", {
  userId: text("The person who pays."),
  key: text("The business event."),
  held: whole("The held credits."),
  expiresAt: Schema.String.annotate({
    description: "Without a renewal until then the hold ends: charged for the lines of the last renewal, or given back."
  }),
  state: Schema.Literals(["open", "settled"]).annotate({ description: "`settled`: the key was paid before." }),
  replayed: Schema.Boolean.annotate({ description: "The key was reserved before; this is the first answer." })
})

const PaymentBody = named("WorkPayment", "The end of a hold.", {
  state: choice(["settled", "released"], "`settled`: the work was charged; `released`: nothing was."),
  charged: Schema.Int.annotate({
    description: "The whole price of the work, including the charge at the expiry of its hold."
  }),
  uncovered: Schema.Int.annotate({
    description:
      "Credits that the lines cost beyond the held amount, which were not charged. Above 0, the hold was too small for the work."
  }),
  transactionId: orNull(Schema.String, "The transaction of the charge; null if nothing was charged.")
})

const RenewBody = named("RenewHold", "A request to renew a hold.", {
  ...Name,
  lines: Schema.optionalKey(Lines),
  lifetimeSeconds: Lifetime
})
const RenewedBody = named("RenewedHold", "A hold that lives on.", {
  state: Schema.Literal("open").annotate({ description: "The hold is open." })
})
const SettleBody = named("SettleHold", "A request to charge for work.", { ...Name, lines: Lines })
const ReleaseBody = named("ReleaseHold", "A request to release a hold.", Name)

/** The prefix separates the holds of this service key from those of other keys and of the server's own metering. */
const ownName = ({ id }: ServiceKey, { key, userId }: { readonly userId: string; readonly key: string }) => ({
  userId,
  key: `key:${id}:${key}`
})

/**
 * Refuses to hold credits, or to renew a hold, for a blocked person. Work that is already done can still be charged.
 */
const refuseBlocked = ({ userId }: { readonly userId: UserId }) =>
  AccessList.use((accessList) => accessList.checkPerson(userId))

const answerOf = (payment: WorkPayment) => {
  const body: typeof PaymentBody.Type =
    payment._tag === "Settled"
      ? {
          state: "settled",
          charged: payment.receipt.charged + (payment.receipt.chargedBefore ?? 0),
          uncovered: payment.uncovered,
          transactionId: payment.transactionId
        }
      : { state: "released", charged: 0, uncovered: 0, transactionId: null }
  return json(200, body)
}

/** Holds credits for work that another service does. */
export const postReserve = defineRoute({
  method: "POST",
  path: "/v1/credits/reserve",
  summary: "Holds a person's credits for work of your service; their account opens at first sight",
  details: "Call settle when the work is done, or release if it was not. A hold that is not renewed ends by itself.",
  access: keyAccess("credits:hold"),
  body: jsonBody(ReserveBody, "The payer, the source and the amount."),
  responses: { 200: { description: "Held, or the first answer to the same.", schema: HoldBody } },
  errors: [
    "insufficient_credits",
    "daily_cap_reached",
    "idempotency_conflict",
    "invalid_work",
    "invalid_amount",
    "work_expired",
    "blocked",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    yield* refuseBlocked(body)
    const hold = yield* WorkMeter.use((meter) =>
      meter.reserve({
        ...ownName(caller, body),
        amount: body.amount,
        minimumAmount: body.minimumAmount,
        lifetimeSeconds: body.lifetimeSeconds,
        source: `key:${caller.id}`
      })
    )
    const answer: typeof HoldBody.Type = {
      ...hold,
      key: body.key,
      expiresAt: new Date(hold.expiresAt).toISOString()
    }
    return json(200, answer)
  })
})

/** Extends the lease of a hold. */
export const postRenew = defineRoute({
  method: "POST",
  path: "/v1/credits/renew",
  summary: "Renews a hold while the work goes on, and reports the usage so far",
  access: keyAccess("credits:hold"),
  body: jsonBody(RenewBody, "The hold, and the lines to charge if your service does not return."),
  responses: { 200: { description: "It lives on.", schema: RenewedBody } },
  errors: ["hold_not_found", "invalid_work", "blocked", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    yield* refuseBlocked(body)
    const { lifetimeSeconds, lines } = body
    yield* WorkMeter.use((meter) => meter.renew({ ...ownName(caller, body), lifetimeSeconds }, lines))
    return json(200, { state: "open" })
  })
})

/** Charges for work that is done. */
export const postSettle = defineRoute({
  method: "POST",
  path: "/v1/credits/settle",
  summary:
    "Charges for finished work, at most the held amount, and releases the rest; once. A settlement that comes after the hold has ended is charged if the balance has the credits",
  access: keyAccess("credits:hold"),
  body: jsonBody(SettleBody, "The hold and the usage."),
  responses: { 200: { description: "The end of the hold, now or the first time.", schema: PaymentBody } },
  errors: [
    "hold_not_found",
    "work_expired",
    "idempotency_conflict",
    "daily_cap_reached",
    "invalid_work",
    "invalid_amount",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    return answerOf(yield* WorkMeter.use((meter) => meter.settle(ownName(caller, body), { lines: body.lines })))
  })
})

/** Returns the held credits to the person. */
export const postRelease = defineRoute({
  method: "POST",
  path: "/v1/credits/release",
  summary: "Releases the hold of work that was not done, once. No later settlement is charged for it",
  access: keyAccess("credits:hold"),
  body: jsonBody(ReleaseBody, "Which hold."),
  responses: { 200: { description: "The end of the hold, now or the first time.", schema: PaymentBody } },
  errors: ["hold_not_found", "invalid_work", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller }) {
    return answerOf(yield* WorkMeter.use((meter) => meter.release(ownName(caller, body))))
  })
})
