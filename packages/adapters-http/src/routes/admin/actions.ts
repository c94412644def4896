import type { StorageFailed } from "@parley/core/adapter"
import type { UserId, Transaction } from "@parley/core"
import {
  type AccessState,
  type ActionAsked,
  CreditService,
  OperatorActions,
  PositiveCredits,
  UserAccess
} from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { askedBy, operatorAccess } from "../../access/operatorAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json } from "../../exchange/Exchange.ts"
import { EventKey } from "../billing/keyCredits.ts"
import { TransactionRow, transactionRow } from "../billing/transactionRow.ts"
import { named, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { userParameter } from "../parameters.ts"
import { Reason } from "./operatorParameters.ts"
import { AccessBody, accessBody } from "./people.ts"

const ReasonBody = named("OperatorReason", "The reason of an operator's action.", { reason: Reason })
const StateBody = named("PersonAccess", "The access of a person.", { userId: text("The person's id."), ...AccessBody })

const Key = EventKey.annotate({
  description: "The business event, for example a ticket: the same key moves the credits once."
})

const Charge = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,255}$/, { message: "Expected the id of a payment or a checkout session" })
).annotate({ description: "The payment or the checkout session of the purchase." })

const MovedBody = named("MovedCredits", "The result of an action on credits.", {
  transaction: Schema.NullOr(TransactionRow).annotate({ description: "Null if nothing changed." }),
  available: whole("The credits that the person can spend now.")
})

/** Makes the response to an action on credits. */
const moved = Effect.fnUntraced(function* (userId: UserId, transaction: Transaction | undefined) {
  const { available } = yield* CreditService.use((credits) => credits.find(userId))
  const body: typeof MovedBody.Type = {
    transaction: transaction === undefined ? null : transactionRow(transaction),
    available
  }
  return json(200, body)
})

interface AccessAction {
  readonly path: "block" | "unblock" | "sign-out"
  readonly summary: string
  readonly change: (
    users: UserAccess["Service"],
    userId: UserId,
    asked: ActionAsked
  ) => Effect.Effect<AccessState, StorageFailed>
}

const accessRoute = ({ change, path, summary }: AccessAction) =>
  defineRoute({
    method: "POST",
    path: `/api/admin/users/{id}/${path}`,
    summary,
    access: operatorAccess("owner"),
    pathParameters: { id: userParameter },
    body: jsonBody(ReasonBody, "The reason."),
    responses: { 200: { description: "The person's access from now on.", schema: StateBody } },
    errors: ["storage_unavailable"],
    handle: Effect.fnUntraced(function* ({ body: { reason }, caller, path: { id } }) {
      const asked = yield* askedBy(caller, reason)
      const state = yield* UserAccess.use((users) => change(users, id, asked))
      const body: typeof StateBody.Type = { userId: id, ...accessBody(state) }
      return json(200, body)
    })
  })

export const postBlock = accessRoute({
  path: "block",
  summary: "Refuses all requests of a person and all messages to their bots, and ends their running replies",
  change: (users, userId, asked) => users.block(userId, asked)
})

export const postUnblock = accessRoute({
  path: "unblock",
  summary: "Lifts the block of a person",
  change: (users, userId, asked) => users.unblock(userId, asked)
})

export const postSignOutEverywhere = accessRoute({
  path: "sign-out",
  summary: "Ends all sessions of a person",
  change: (users, userId, asked) => users.signOutEverywhere(userId, asked)
})

/** Grants credits. */
export const postOperatorGrant = defineRoute({
  method: "POST",
  path: "/api/admin/users/{id}/grants",
  summary: "Grants a person credits that never expire",
  access: operatorAccess("owner"),
  pathParameters: { id: userParameter },
  body: jsonBody(
    named("OperatorGrant", "A grant by an operator.", {
      amount: PositiveCredits.annotate({ description: "Whole credits, which never expire." }),
      key: Key,
      reason: Reason
    }),
    "The grant."
  ),
  responses: { 200: { description: "Granted, now or the first time.", schema: MovedBody } },
  errors: ["account_not_found", "idempotency_conflict", "invalid_amount", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller, path: { id: userId } }) {
    const asked = yield* askedBy(caller, body.reason)
    // The prefix separates this key from the ledger's own keys. `POST /v1/users/{id}/grants` uses the same prefix, so
    // that one event grants credits only once through both.
    const key = `grant:${body.key}`
    const grant = { userId, asked, amount: body.amount, key }
    return yield* moved(userId, yield* OperatorActions.use((actions) => actions.grant(grant)))
  })
})

/** Corrects a balance. */
export const postAdjustment = defineRoute({
  method: "POST",
  path: "/api/admin/users/{id}/adjustments",
  summary:
    "Corrects a balance: positive amounts are added, negative ones taken; credits beyond the balance become debt",
  access: operatorAccess("owner"),
  pathParameters: { id: userParameter },
  body: jsonBody(
    named("Adjustment", "A correction of a balance.", {
      amount: Schema.Int.check(
        Schema.isBetween({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
      ).annotate({ description: "Whole credits: negative to take them." }),
      key: Key,
      reason: Reason
    }),
    "The correction."
  ),
  responses: { 200: { description: "Corrected, now or the first time.", schema: MovedBody } },
  errors: ["account_not_found", "idempotency_conflict", "invalid_amount", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body, caller, path: { id: userId } }) {
    const asked = yield* askedBy(caller, body.reason)
    const adjustment = { ...body, userId, asked, key: `adjustment:${body.key}` }
    return yield* moved(userId, yield* OperatorActions.use((actions) => actions.adjust(adjustment)))
  })
})

/** Takes the credits of a refunded purchase away from a person. */
export const postRefund = defineRoute({
  method: "POST",
  path: "/api/admin/users/{id}/refunds",
  summary: "Takes back the credits of a purchase that was refunded outside the payment provider; moves no money",
  access: operatorAccess("owner"),
  pathParameters: { id: userParameter },
  body: jsonBody(
    named("CreditRefund", "The refund of a purchase outside the payment provider.", {
      payment: Charge,
      refunded: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
        description: "The total that was refunded, in the smallest unit of the currency; all of it unless given."
      }),
      reason: Reason
    }),
    "The refund."
  ),
  responses: { 200: { description: "Taken back, now or the first time.", schema: MovedBody } },
  errors: [
    "account_not_found",
    "idempotency_conflict",
    "invalid_amount",
    "purchase_conflict",
    "purchase_not_found",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body: { payment, reason, refunded }, caller, path: { id: userId } }) {
    const asked = yield* askedBy(caller, reason)
    const made = yield* OperatorActions.use((actions) => actions.refund({ userId, asked, payment, refunded }))
    return yield* moved(userId, made)
  })
})

/** Sets a person's tier, or lets billing decide about it again. */
export const putTier = defineRoute({
  method: "PUT",
  path: "/api/admin/users/{id}/tier",
  summary: "Puts a person on a tier, with its credits from now on",
  access: operatorAccess("owner"),
  pathParameters: { id: userParameter },
  body: jsonBody(
    named("OperatorTierChange", "A change of a person's tier by an operator.", {
      tier: Schema.NonEmptyString.annotate({ description: "A tier of the catalog." }),
      pin: Schema.optionalKey(Schema.Boolean).annotate({
        description: "True: billing events do not change the tier until it is unpinned. Default false."
      }),
      reason: Reason
    }),
    "The tier."
  ),
  responses: { 200: { description: "The person is on the tier.", schema: MovedBody } },
  errors: ["account_not_found", "idempotency_conflict", "invalid_amount", "unknown_tier", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body: { pin = false, reason, tier }, caller, path: { id: userId } }) {
    const asked = yield* askedBy(caller, reason)
    return yield* moved(
      userId,
      yield* OperatorActions.use((actions) => actions.setTier({ userId, asked, tier, pin, period: "new" }))
    )
  })
})

/** Lets billing decide about a person's tier again. */
export const postUnpin = defineRoute({
  method: "POST",
  path: "/api/admin/users/{id}/unpin",
  summary: "Lets billing events decide over a person's tier again, beginning with those that have come",
  access: operatorAccess("owner"),
  pathParameters: { id: userParameter },
  body: jsonBody(ReasonBody, "The reason."),
  responses: { 200: { description: "Billing decides.", schema: MovedBody } },
  errors: [
    "account_not_found",
    "idempotency_conflict",
    "invalid_amount",
    "purchase_conflict",
    "purchase_not_found",
    "storage_unavailable"
  ],
  handle: Effect.fnUntraced(function* ({ body: { reason }, caller, path: { id: userId } }) {
    const asked = yield* askedBy(caller, reason)
    yield* OperatorActions.use((actions) => actions.unpinTier({ userId, asked }))
    return yield* moved(userId, undefined)
  })
})
