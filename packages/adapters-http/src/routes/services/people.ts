import type { ServiceKey } from "@parley/core"
import { CreditService, OperatorActions, OperatorTiers } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { keyAccess } from "../../access/secretAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json } from "../../exchange/Exchange.ts"
import { BalanceBody, balanceBody, HistoryBody, historyBody, historyParameters } from "../billing/billing.ts"
import { Credits, EventKey } from "../billing/keyCredits.ts"
import { TierName } from "../billing/tiers.ts"
import { userParameter } from "../parameters.ts"
import { moment, named, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const pathParameters = { id: userParameter }

const Reason = Schema.optionalKey(
  Schema.String.check(
    Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u, { message: "Expected 1 to 200 characters in one line" })
  )
).annotate({ description: "The reason, in a few words; stored in the audit log." })

/** The name of a service key as an actor in the audit log. */
const actorOf = ({ id }: ServiceKey) => `key:${id}`

/** A person's balance. */
export const getPersonBalance = defineRoute({
  method: "GET",
  path: "/v1/users/{id}/balance",
  summary: "Returns a person's credits",
  access: keyAccess("credits:read"),
  pathParameters,
  responses: { 200: { description: "The balance, in whole credits.", schema: BalanceBody } },
  errors: ["account_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ path }) {
    return json(200, balanceBody(yield* CreditService.use((credits) => credits.find(path.id))))
  })
})

/** The history of a person's balance. */
export const getPersonHistory = defineRoute({
  method: "GET",
  path: "/v1/users/{id}/history",
  summary: "Lists a person's credit transactions, newest first",
  access: keyAccess("credits:read"),
  pathParameters,
  queryParameters: historyParameters,
  responses: { 200: { description: "The transactions.", schema: HistoryBody } },
  errors: ["account_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ path, query }) {
    const page = yield* CreditService.use((credits) => credits.history({ userId: path.id, ...query }))
    return json(200, historyBody(page, query))
  })
})

const GrantBody = named("GrantCredits", "A grant of credits.", {
  amount: Credits.annotate({ description: "Whole credits, which never expire." }),
  key: EventKey.annotate({
    description:
      "The business event, for example `order-7`. It grants credits to a person once, whichever service key is used: the same request again gets the first answer, another amount is refused."
  }),
  reason: Reason
})

const GrantedBody = named("Grant", "Granted credits.", {
  userId: text("The person's id."),
  key: text("The business event."),
  amount: whole("The granted credits."),
  transactionId: text("The transaction of the grant."),
  balanceAfter: Schema.Int.annotate({ description: "`allowance + topup - debt` after the grant." }),
  createdAt: moment("When the credits were granted.")
})

/** Grants a person credits. */
export const postGrant = defineRoute({
  method: "POST",
  path: "/v1/users/{id}/grants",
  summary: "Grants a person credits that never expire, once under its key",
  access: keyAccess("credits:grant"),
  pathParameters,
  body: jsonBody(GrantBody, "The amount, the business event and the reason."),
  responses: { 200: { description: "The grant, or the first answer to the same.", schema: GrantedBody } },
  errors: ["account_not_found", "idempotency_conflict", "invalid_amount", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body: { amount, key, reason }, caller, path }) {
    // The prefix separates this key from the ledger's own keys, such as those of payments.
    const grant = { userId: path.id, amount, key: `grant:${key}`, asked: { by: actorOf(caller), reason } }
    const transaction = yield* OperatorActions.use((actions) => actions.grant(grant))
    const answer: typeof GrantedBody.Type = {
      userId: path.id,
      key,
      amount: transaction.amount,
      transactionId: transaction.id,
      balanceAfter: transaction.balanceAfter,
      createdAt: new Date(transaction.createdAt).toISOString()
    }
    return json(200, answer)
  })
})

const StandingBody = named("PersonTier", "The tier of a person.", {
  userId: text("The person's id."),
  tier: TierName.annotate({ description: "The person's tier." }),
  pinned: Schema.Boolean.annotate({ description: "An operator chose the tier, and billing events do not change it." }),
  paidTier: Schema.NullOr(Schema.String).annotate({
    description: "The tier that billing would set; null for a person who never paid for one."
  }),
  available: Schema.Int.annotate({ description: "The credits that can be spent." })
})

/** A person's tier in the form of the response. */
const standingOf = Effect.fnUntraced(function* (userId: string) {
  const { paidTier = null, pinned, tier } = yield* OperatorTiers.use((tiers) => tiers.standing(userId))
  const { available } = yield* CreditService.use((credits) => credits.find(userId))
  const body: typeof StandingBody.Type = { userId, tier, pinned, paidTier, available }
  return json(200, body)
})

/** A person's tier. */
export const getPersonTier = defineRoute({
  method: "GET",
  path: "/v1/users/{id}/tier",
  summary: "Returns a person's tier",
  access: keyAccess("users:read"),
  pathParameters,
  responses: { 200: { description: "The tier.", schema: StandingBody } },
  errors: ["account_not_found", "storage_unavailable"],
  handle: ({ path }) => standingOf(path.id)
})

/** Puts a person on a tier. */
export const putPersonTier = defineRoute({
  method: "PUT",
  path: "/v1/users/{id}/tier",
  summary:
    "Puts a person on a tier, with its additional credits for the running month, until a payment changes it; the same tier changes nothing",
  access: keyAccess("users:write"),
  pathParameters,
  body: jsonBody(
    named("TierChange", "A change of a person's tier.", { tier: text("A tier of the catalog."), reason: Reason }),
    "The tier and the reason."
  ),
  responses: { 200: { description: "The tier.", schema: StandingBody } },
  errors: ["account_not_found", "unknown_tier", "idempotency_conflict", "invalid_amount", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body: { reason, tier }, caller, path }) {
    const asked = { by: actorOf(caller), reason }
    const change = { userId: path.id, tier, pin: false, period: "current", asked } as const
    yield* OperatorActions.use((actions) => actions.setTier(change))
    return yield* standingOf(path.id)
  })
})
