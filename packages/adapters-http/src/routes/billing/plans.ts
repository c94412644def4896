import { BillingService, ModelOffers } from "@parley/core/effect"
import { CHECKOUT_MODES, SUBSCRIPTION_STATUSES } from "@parley/core/adapter"
import type { Offer, PaidSubscription } from "@parley/core"
import { Effect, Option, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { AlreadySubscribed } from "../../problems/errors.ts"
import { PaymentPageBody, PROVIDER_ERRORS } from "./billing.ts"
import { hostParameter, OwnPath, returnAddress } from "./returnAddress.ts"
import { choice, listOf, moment, named, orNull, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { TierBody, tierBody, TierName } from "./tiers.ts"

const BillingPeriodBody = named("BillingPeriod", "The time that one payment covers.", {
  unit: choice(["day", "week", "month", "year"], "The unit of the period."),
  count: whole("The number of units.")
})

const Price = named("Price", "A price of the payment provider.", {
  priceId: text("The price's id, as a checkout takes it."),
  amount: orNull(Schema.Finite, "In major units of the currency; null if it is no fixed amount."),
  currency: text("The currency in lower case, as `eur`."),
  every: orNull(BillingPeriodBody, "The period of one payment; null for a one-time purchase.")
})

const PlanBody = named("Plan", "A tier with its prices.", {
  ...TierBody.fields,
  prices: listOf(Price, "The prices of the tier; empty for a tier that is free or not on sale.")
})

const CreditPackBody = named("CreditPack", "Credits that can be bought once.", {
  credits: whole("The number of credits."),
  ...Price.fields
})

const PlansBody = named("Plans", "Everything that is on sale.", {
  plans: listOf(PlanBody, "The tiers, the free one first."),
  credits: listOf(CreditPackBody, "The credits that can be bought once."),
  pricesUnavailable: Schema.Boolean.annotate({
    description: "The payment provider does not answer, so that no prices are known at the moment. Ask again later."
  })
})

/** Longest wait for the provider's prices: after it the plans are returned without prices, which is still useful. */
const PRICES_WITHIN = "5 seconds"

/** The provider's current prices in the form of the response. */
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

const PaidSubscriptionBody = named("Subscription", "A subscription at the payment provider.", {
  id: text("The subscription's id at the payment provider."),
  tier: TierName.annotate({ description: "The tier that is paid for." }),
  nextTier: Schema.NullOr(TierName).annotate({
    description: "The plan from the next period on, if it changes."
  }),
  priceId: orNull(Schema.String, "The price that is paid; null if it is unknown."),
  status: choice(SUBSCRIPTION_STATUSES, "The state of the subscription."),
  givesMonthly: Schema.Boolean.annotate({
    description: "Paid for longer at once; its credits come month by month."
  }),
  paidUntil: moment("The end of the paid period."),
  endsAt: Schema.NullOr(Schema.String).annotate({ description: "When it will end, where that is decided." })
})

const SubscriptionBody = named("SubscriptionState", "The subscriptions of a person.", {
  customerId: orNull(Schema.String, "Your customer id at the payment provider; null if you have none."),
  subscription: orNull(PaidSubscriptionBody, "The subscription that gives you your tier; null if there is none."),
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

const Checkout = named("Checkout", "A request to pay.", {
  priceId: text("A price of GET /api/billing/plans."),
  mode: choice(CHECKOUT_MODES, "`subscription` for a plan, `one-time` for credits."),
  returnTo: Schema.optionalKey(
    OwnPath.annotate({
      description: "The page of this server to come back to, as a path; the first page unless given."
    })
  )
})

/** The address with the result of the checkout added to its query. */
const withOutcome = (address: URL, outcome: "success" | "cancelled"): string => {
  const url = new URL(address)
  url.searchParams.set("checkout", outcome)
  return url.href
}

/** Returns the address of the checkout page on which a person pays. */
export const postCheckout = defineRoute({
  method: "POST",
  path: "/api/billing/checkout",
  summary: "Opens the payment provider's page where you pay for a plan or for credits",
  details: "The credits are granted when the provider reports the payment, not when the browser returns.",
  access: sessionAccess,
  headerParameters: { host: hostParameter },
  body: jsonBody(
    Checkout,
    "The price, how it is bought, and the page of this server to come back to, with `checkout=success` or `cancelled` in its query."
  ),
  responses: { 200: { description: "The page to open.", schema: PaymentPageBody } },
  errors: [...PROVIDER_ERRORS, "price_not_offered", "already_subscribed"],
  handle: Effect.fnUntraced(function* ({ body, caller: { email, userId }, context, headers: { host } }) {
    const { mode, priceId, returnTo = "/" } = body
    const billing = yield* BillingService
    if (mode === "subscription") {
      const { subscription } = yield* billing.subscription(userId)
      // The person would pay for a second subscription beside the first.
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
