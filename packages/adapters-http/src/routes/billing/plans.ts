import { BillingService, ModelOffers } from "@parley/core/effect"
import { CHECKOUT_MODES, SUBSCRIPTION_STATUSES } from "@parley/core/adapter"
import type { Offer, PaidSubscription } from "@parley/core"
import { Effect, Option, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { AlreadySubscribed } from "../../problems/errors.ts"
import { PROVIDER_ERRORS } from "./billing.ts"
import { hostParameter, OwnPath, returnAddress } from "./returnAddress.ts"
import { defineRoute } from "../Route.ts"
import { TierBody, tierBody, TierName } from "./tiers.ts"

const Price = Schema.Struct({
  priceId: Schema.String,
  amount: Schema.NullOr(Schema.Finite).annotate({
    description: "In major units of the currency; null if it is no fixed amount."
  }),
  currency: Schema.String,
  every: Schema.NullOr(
    Schema.Struct({ unit: Schema.Literals(["day", "week", "month", "year"]), count: Schema.Int })
  ).annotate({ description: "The period of one payment; null for a one-time purchase." })
})

const PlansBody = Schema.Struct({
  plans: Schema.Array(Schema.Struct({ ...TierBody.fields, prices: Schema.Array(Price) })),
  credits: Schema.Array(Schema.Struct({ credits: Schema.Int, ...Price.fields })),
  pricesUnavailable: Schema.Boolean.annotate({
    description: "The payment provider does not answer, so that no prices are known at the moment. Ask again later."
  })
})

/** The plans are worth showing without prices, and people wait for them no longer than this. */
const PRICES_WITHIN = "5 seconds"

/** The provider's current prices, as they are sent. */
const priceBody = ({ cost, priceId }: Offer): ReadonlyArray<typeof Price.Type> =>
  cost === undefined
    ? []
    : [{ priceId, amount: cost.amount ?? null, currency: cost.currency, every: cost.every ?? null }]

/** The plans and packs, with their prices. */
export const getPlans = defineRoute({
  method: "GET",
  path: "/api/billing/plans",
  summary: "Lists the plans with their contents, and the prices of plans and credits; no prices if nothing is sold",
  access: sessionAccess,
  responses: {
    200: { description: "The plans, from the lowest to the highest, and the packs of credits.", schema: PlansBody }
  },
  errors: ["payment_provider_refused"],
  handle: Effect.fnUntraced(function* () {
    const { offers } = yield* BillingService
    const tiers = yield* ModelOffers.use((models) => models.tiers)
    const known = yield* Effect.timeoutOption(offers, PRICES_WITHIN).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catchTag("PaymentsNotConfigured", () => Effect.succeed<ReadonlyArray<Offer>>([])),
      Effect.catchTag("PaymentUnavailable", () => Effect.succeed(undefined))
    )
    const sold = known ?? []
    const body: typeof PlansBody.Type = {
      plans: tiers.map((tier) => ({
        ...tierBody(tier),
        prices: sold.filter(({ buys }) => "tier" in buys && buys.tier === tier.name).flatMap(priceBody)
      })),
      credits: sold.flatMap((offer) => {
        const { buys } = offer
        return "topup" in buys ? priceBody(offer).map((price) => ({ credits: buys.topup, ...price })) : []
      }),
      pricesUnavailable: known === undefined
    }
    return json(200, body)
  })
})

const PaidSubscriptionBody = Schema.Struct({
  id: Schema.String,
  tier: TierName,
  nextTier: Schema.NullOr(TierName).annotate({
    description: "The plan from the next period on, if it changes."
  }),
  priceId: Schema.NullOr(Schema.String),
  status: Schema.Literals(SUBSCRIPTION_STATUSES),
  givesMonthly: Schema.Boolean.annotate({
    description: "Paid for longer at once; its credits come month by month."
  }),
  paidUntil: Schema.String,
  endsAt: Schema.NullOr(Schema.String).annotate({ description: "When it will end, where that is decided." })
})

const SubscriptionBody = Schema.Struct({
  customerId: Schema.NullOr(Schema.String),
  subscription: Schema.NullOr(PaidSubscriptionBody),
  others: Schema.Array(PaidSubscriptionBody).annotate({
    description: "Further subscriptions, which are paid for beside this one and give nothing as long as it goes on."
  })
})

const dateText = (instant: number): string => new Date(instant).toISOString()

const paidSubscriptionBody = (subscription: PaidSubscription): typeof PaidSubscriptionBody.Type => ({
  ...subscription,
  nextTier: subscription.nextTier ?? null,
  priceId: subscription.priceId ?? null,
  paidUntil: dateText(subscription.paidUntil),
  endsAt: subscription.endsAt === undefined ? null : dateText(subscription.endsAt)
})

/** A person's subscription. */
export const getSubscription = defineRoute({
  method: "GET",
  path: "/api/billing/subscription",
  summary:
    "Says what you have subscribed to, as far as the payment provider has reported it, and your customer id there",
  access: sessionAccess,
  responses: { 200: { description: "Your subscription; null where you have none.", schema: SubscriptionBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller: { userId } }) {
    const state = yield* BillingService.use((billing) => billing.subscription(userId))
    const body: typeof SubscriptionBody.Type = {
      customerId: state.customerId ?? null,
      subscription: state.subscription === undefined ? null : paidSubscriptionBody(state.subscription),
      others: state.others.map(paidSubscriptionBody)
    }
    return json(200, body)
  })
})

const Checkout = Schema.Struct({
  priceId: Schema.String,
  mode: Schema.Literals(CHECKOUT_MODES),
  returnTo: Schema.optionalKey(OwnPath)
})

/** `path` with the result of the checkout in its query. */
const withOutcome = (address: URL, outcome: "success" | "cancelled"): string => {
  const url = new URL(address)
  url.searchParams.set("checkout", outcome)
  return url.href
}

/** The checkout page on which a person pays. */
export const postCheckout = defineRoute({
  method: "POST",
  path: "/api/billing/checkout",
  summary: "Opens the payment provider's page where you pay for a plan or for credits",
  access: sessionAccess,
  headerParameters: { host: hostParameter },
  body: jsonBody(
    Checkout,
    "The price, how it is bought, and the page of this server to come back to, with `checkout=success` or `cancelled` in its query."
  ),
  responses: { 200: { description: "The page to open.", schema: Schema.Struct({ url: Schema.String }) } },
  errors: [...PROVIDER_ERRORS, "price_not_offered", "already_subscribed"],
  handle: Effect.fnUntraced(function* ({ body, caller: { email, userId }, context, headers: { host } }) {
    const { mode, priceId, returnTo = "/" } = body
    const billing = yield* BillingService
    if (mode === "subscription") {
      const { subscription } = yield* billing.subscription(userId)
      // A second subscription would be paid beside the first.
      if (subscription !== undefined) return yield* new AlreadySubscribed()
    }
    const back = yield* returnAddress(context, returnTo, host)
    const { url } = yield* billing.generateCheckoutLink({
      userId,
      email,
      priceId,
      mode,
      successUrl: withOutcome(back, "success"),
      cancelUrl: withOutcome(back, "cancelled")
    })
    return json(200, { url })
  })
})
