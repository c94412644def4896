import { Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import { Id, inputsOf, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import type { Tier, TierName } from "../tiers/Tier.ts"
import { BillingStore } from "./BillingStore.ts"
import { CustomerNotFound, type PaymentFailed, type PaymentObjectNotFound, PriceNotOffered } from "./errors.ts"
import { CHECKOUT_MODES, type CheckoutMode, type SubscriptionStatus } from "./provider/PaymentEvent.ts"
import { type Invoice, PaymentGateway, type PriceOffer } from "./provider/PaymentGateway.ts"
import { PaymentInbox } from "./PaymentInbox.ts"
import { paidPlans, type Plan } from "./planOf.ts"
import type { SubscriptionFacts } from "./SubscriptionFacts.ts"

/** A person who opens a page of the payment provider. */
export const Buyer = Schema.Struct({
  userId: UserId,
  /** Stored with a new customer, so that the provider can send receipts. */
  email: Schema.optional(Schema.String)
})
export type Buyer = typeof Buyer.Type

export const PortalLinkInput = Schema.Struct({
  ...Buyer.fields,
  /** The address to which the provider sends the person back. */
  returnUrl: Schema.String
})
export type PortalLinkInput = typeof PortalLinkInput.Type

export const CheckoutLinkInput = Schema.Struct({
  ...Buyer.fields,
  priceId: Schema.String,
  mode: Schema.Literals(CHECKOUT_MODES),
  successUrl: Schema.String,
  cancelUrl: Schema.String
})
export type CheckoutLinkInput = typeof CheckoutLinkInput.Type

export const InvoicesInput = Schema.Struct({ userId: UserId, customerId: Id, limit: PageLimit })
export type InvoicesInput = typeof InvoicesInput.Type

/** A price, with the tier or the credits that it buys. */
export interface Offer {
  readonly priceId: string
  readonly mode: CheckoutMode
  readonly buys: { readonly tier: TierName } | { readonly topup: number }
  /** The cost of the price; undefined if the provider does not state it. */
  readonly cost: Omit<PriceOffer, "priceId"> | undefined
}

/** A subscription that continues. */
export interface PaidSubscription {
  readonly id: string
  readonly tier: TierName
  /** The tier from the next period on, if the person chose a cheaper plan. */
  readonly nextTier: TierName | undefined
  /** The price that the subscription is charged from now on. */
  readonly priceId: string | undefined
  readonly status: SubscriptionStatus
  /** True if one payment covers more than a month and the credits are granted month by month. */
  readonly givesMonthly: boolean
  /** Unix milliseconds: the end of the paid time; `endsAt` is the end of the subscription, if the end is decided. */
  readonly paidUntil: number
  readonly endsAt: number | undefined
}

/** The subscriptions of a person. */
export interface SubscriptionState {
  readonly customerId: string | undefined
  /** The subscription that determines the person's plan. */
  readonly subscription: PaidSubscription | undefined
  /** Further subscriptions that the person also pays for; they grant nothing while `subscription` runs. */
  readonly others: ReadonlyArray<PaidSubscription>
}

/** Milliseconds for which the provider's prices are cached. */
const OFFERS_COUNT_MS = 60_000

const modeOf = (bought: Offer["buys"]): CheckoutMode => ("tier" in bought ? "subscription" : "one-time")

/** Finds and creates the customers of people at the provider. */
const makeCustomers = (
  gateway: PaymentGateway["Service"],
  store: BillingStore["Service"],
  inbox: PaymentInbox["Service"]
) => {
  /**
   * Creates a customer and links it. Concurrent calls create the same customer, because they share the idempotency key,
   * and the first linked customer is used. For a while the provider answers a key with its first customer, even if the
   * person was erased since then and has returned; that customer cannot be linked, so the next key contains its id.
   */
  const createCustomer = (
    { email, userId }: Buyer,
    replaces: string | undefined,
    except = replaces
  ): Effect.Effect<string, PaymentFailed | StorageFailed> =>
    Effect.gen(function* () {
      const key = except === undefined ? `customer:${userId}` : `customer:${userId}:${except}`
      const { customerId } = yield* gateway.createCustomer({ userId, email, idempotencyKey: key })
      const linked = yield* inbox.link({ userId, customerId, replaces })
      return linked ?? (yield* createCustomer({ email, userId }, replaces, customerId))
    })

  /**
   * Makes a call for a person's customer. First creates a customer if there is none, or if the provider no longer has
   * the stored one.
   */
  const of = <A, E>(
    buyer: Buyer,
    ask: (customerId: string) => Effect.Effect<A, E | PaymentObjectNotFound>
  ): Effect.Effect<A, E | PaymentObjectNotFound | PaymentFailed | StorageFailed> =>
    Effect.gen(function* () {
      const known = (yield* store.account(buyer.userId)).customerId
      if (known === undefined) return yield* ask(yield* createCustomer(buyer, undefined))
      const asked = ask(known) as Effect.Effect<A, PaymentObjectNotFound>
      return yield* Effect.catchIf(
        asked,
        (error) => error._tag === "PaymentObjectNotFound" && error.object === "customer",
        () => Effect.flatMap(createCustomer(buyer, known), ask)
      )
    })

  return { of }
}

/** Sells plans and credits to people, and shows them their purchases. */
export class BillingService extends Context.Service<
  BillingService,
  {
    /**
     * Opens the provider's page where a person manages the plan and the means of payment. Creates the person's customer
     * on the first call.
     */
    portal(input: PortalLinkInput): Effect.Effect<{ readonly url: string }, PaymentFailed | StorageFailed>
    /**
     * Opens the provider's page where a person pays for a price of the catalog. Fails with `PriceNotOffered`, without
     * asking the provider, if the catalog has no such price or sells it in another mode.
     */
    generateCheckoutLink(
      input: CheckoutLinkInput
    ): Effect.Effect<{ readonly url: string }, PriceNotOffered | PaymentFailed | StorageFailed>
    /**
     * Returns a person's invoices, newest first. Fails with `CustomerNotFound`, without asking the provider, if the
     * customer belongs to another person.
     */
    invoices(
      input: InvoicesInput
    ): Effect.Effect<ReadonlyArray<Invoice>, CustomerNotFound | PaymentFailed | StorageFailed>
    /** The plans, from the lowest, which costs nothing, to the highest. */
    readonly tiers: ReadonlyArray<Tier>
    /** All offers with their costs; the provider's answer is cached for a minute. */
    readonly offers: Effect.Effect<ReadonlyArray<Offer>, PaymentFailed>
    /** The reported subscriptions of a person. */
    subscription(userId: UserId): Effect.Effect<SubscriptionState, StorageFailed>
  }
>()("@parley/core/billing/BillingService") {
  static readonly inputs = inputsOf<BillingService["Service"]>()({
    portal: [{ input: PortalLinkInput }],
    generateCheckoutLink: [{ input: CheckoutLinkInput }],
    offers: [],
    subscription: [{ userId: UserId }],
    invoices: [{ input: InvoicesInput }]
  })
  static readonly layer = Layer.effect(
    BillingService,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const store = yield* BillingStore
      const inbox = yield* PaymentInbox
      const catalog = yield* Catalog
      const customers = makeCustomers(gateway, store, inbox)

      const askedOffers = Effect.suspend(() => {
        const priceIds = Object.keys(catalog.prices)
        if (priceIds.length === 0) return Effect.succeed([])
        return Effect.map(gateway.prices(priceIds), (costs) =>
          Object.entries(catalog.prices).map(([priceId, buys]): Offer => {
            const found = costs.find((one) => one.priceId === priceId)
            const cost = found && { amount: found.amount, currency: found.currency, every: found.every }
            return { priceId, mode: modeOf(buys), buys, cost }
          })
        )
      })
      // A failed answer is not cached, so the next call asks again.
      const offers = yield* Effect.cachedWithTTL(askedOffers, (exit) => (Exit.isSuccess(exit) ? OFFERS_COUNT_MS : 0))

      return BillingService.of({
        portal: ({ returnUrl, ...buyer }) =>
          customers
            .of(buyer, (customerId) => gateway.portalSession({ customerId, returnUrl }))
            .pipe(Effect.catchTag("PaymentObjectNotFound", Effect.die)),
        generateCheckoutLink: Effect.fnUntraced(function* ({ cancelUrl, mode, priceId, successUrl, ...buyer }) {
          const bought = Object.hasOwn(catalog.prices, priceId) ? catalog.prices[priceId] : undefined
          if (bought === undefined) return yield* new PriceNotOffered({ priceId, problem: "unknown" })
          if (modeOf(bought) !== mode) return yield* new PriceNotOffered({ priceId, problem: "mode" })
          const ids = yield* IdGenerator
          const idempotencyKey = `checkout:${yield* ids.next}`
          const { userId } = buyer
          const link = yield* customers
            .of(buyer, (customerId) =>
              gateway.checkoutSession({ customerId, userId, priceId, mode, successUrl, cancelUrl, idempotencyKey })
            )
            .pipe(
              Effect.catchTag("PaymentObjectNotFound", () =>
                Effect.fail(new PriceNotOffered({ priceId, problem: "provider" }))
              )
            )
          return { url: link.url }
        }),
        invoices: Effect.fnUntraced(function* ({ customerId, limit, userId }) {
          const account = yield* store.account(userId)
          if (account.customerId !== customerId) return yield* new CustomerNotFound({ customerId })
          return yield* Effect.catchTag(gateway.invoices({ customerId, limit }), "PaymentObjectNotFound", () =>
            Effect.succeed([])
          )
        }),
        tiers: catalog.tiers,
        offers,
        subscription: Effect.fnUntraced(function* (userId) {
          const now = yield* Clock.currentTimeMillis
          const account = yield* store.account(userId)
          const [subscription, ...others] = paidPlans(account, catalog, now).map(paidSubscription)
          return { customerId: account.customerId, subscription, others }
        })
      })
    })
  )
}

const paidSubscription = ([{ checkout, id, latest, paid }, { terms }]: readonly [
  SubscriptionFacts,
  Plan
]): PaidSubscription => ({
  id,
  tier: terms.tier,
  nextTier: terms.pendingTier,
  priceId: latest?.priceId ?? paid?.priceId ?? checkout?.priceId,
  status: latest?.status ?? "active",
  givesMonthly: terms.renewedUntil !== undefined,
  paidUntil: terms.renewedUntil ?? terms.nextResetAt,
  endsAt: latest?.endsAt
})
