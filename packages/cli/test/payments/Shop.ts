import { makeStripePayments } from "@parley/adapters-stripe"
import {
  type ListeningStandIn,
  listenStandIn,
  memoryStore,
  type PayOptions,
  type StandInState
} from "@parley/stripe-stand-in"
import type { CheckoutMode } from "@parley/core/adapter"
import { Effect, Redacted } from "effect"

const DAY_MS = 86_400_000
const API_KEY = "sk_test_of_the_stand_in"

/** The signing secret of events. */
export const SECRET = "whsec_of_the_tests"

/** The provider's prices. */
export const shopPrices = [
  { id: "price_pro", name: "Pro", amount: 1_900, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_business", name: "Business", amount: 4_900, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_pro_year", name: "Pro, yearly", amount: 19_000, currency: "usd", every: { unit: "year", count: 1 } },
  { id: "price_credits", name: "Credits", amount: 990, currency: "usd" },
  { id: "price_credits_small", name: "Few credits", amount: 90, currency: "usd" },
  { id: "price_credits_unknown", name: "Credits of another catalog", amount: 500, currency: "usd" },
  { id: "price_plan_unknown", name: "Other", amount: 500, currency: "usd", every: { unit: "month", count: 1 } }
] as const

/** The purchases of these prices, for `PARLEY_CONFIG`. */
export const shopConfig = {
  tiers: { pro: { monthlyCredits: 1_000 }, business: { monthlyCredits: 5_000 } },
  prices: {
    price_pro: { tier: "pro" },
    price_business: { tier: "business" },
    price_pro_year: { tier: "pro" },
    price_credits: { topup: 700 },
    price_credits_small: { topup: 50 }
  }
}

/** A provider with Stripe's protocol on its own port, and its buyers. */
export class Shop {
  /** Everything that the provider keeps; a test may change it. */
  readonly state: StandInState
  readonly #listening: ListeningStandIn

  private constructor(listening: ListeningStandIn, state: StandInState) {
    this.#listening = listening
    this.state = state
  }

  /** `daysAgo`: how far the provider's clock is behind, so that a test may move it forward. */
  static async open(daysAgo = 0): Promise<Shop> {
    const state = memoryStore().load()
    const store = { load: () => state, save: () => undefined }
    const now = () => Date.now() - daysAgo * DAY_MS
    return new Shop(await listenStandIn({ prices: shopPrices, apiKey: API_KEY, store, now }), state)
  }

  get provider(): ListeningStandIn["standIn"] {
    return this.#listening.standIn
  }

  /** The environment with which a server finds the provider and verifies its events. */
  get environment(): Readonly<Record<string, string>> {
    return {
      STRIPE_SECRET_KEY: API_KEY,
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_URL: this.#listening.url
    }
  }

  /** Opens a checkout page for a person, as the server does, and pays there; returns the session. */
  async buy(userId: string, priceId: string, mode: CheckoutMode, options?: PayOptions): Promise<string> {
    const gateway = makeStripePayments({
      apiKey: Redacted.make(API_KEY),
      apiUrl: this.#listening.url,
      webhookSecret: Redacted.make(SECRET)
    })
    const page = "http://127.0.0.1/"
    const open = Effect.gen(function* () {
      const buyer = { userId, email: userId, idempotencyKey: `customer:${userId}` }
      const { customerId } = yield* gateway.createCustomer(buyer)
      const idempotencyKey = crypto.randomUUID()
      const bought = { customerId, userId, priceId, mode, successUrl: page, cancelUrl: page, idempotencyKey }
      return yield* gateway.checkoutSession(bought)
    })
    const { sessionId } = await Effect.runPromise(open)
    this.provider.pay(sessionId, options)
    await this.provider.deliveries.idle()
    return sessionId
  }

  close(): Promise<void> {
    return this.#listening.close()
  }
}
