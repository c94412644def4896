import { makeStripePaymentGateway } from "@parley/adapters-stripe"
import { type ListeningStandIn, listenStandIn, type PayOptions } from "@parley/adapters-stripe/stand-in"
import type { CheckoutMode } from "@parley/core/adapter"
import { Effect, Redacted } from "effect"

const API_KEY = "sk_test_of_the_stand_in"

/** What events are signed with. */
export const SECRET = "whsec_of_the_tests"

const prices = [
  { id: "price_pro", name: "Pro", amount: 1_900, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_business", name: "Business", amount: 4_900, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_credits", name: "Credits", amount: 990, currency: "usd" }
] as const

/** What those prices buy, as `PARLEY_CONFIG` says it. */
export const shopConfig = {
  tiers: { pro: { monthlyCredits: 1_000 }, business: { monthlyCredits: 5_000 } },
  prices: { price_pro: { tier: "pro" }, price_business: { tier: "business" }, price_credits: { topup: 700 } }
}

/** A provider of Stripe's protocol on a port of its own, and whoever buys there. */
export class Shop {
  readonly #listening: ListeningStandIn

  private constructor(listening: ListeningStandIn) {
    this.#listening = listening
  }

  static async open(): Promise<Shop> {
    return new Shop(await listenStandIn({ prices, apiKey: API_KEY }))
  }

  get provider(): ListeningStandIn["standIn"] {
    return this.#listening.standIn
  }

  /** How a server finds the provider and knows its events. */
  get environment(): Readonly<Record<string, string>> {
    return {
      STRIPE_SECRET_KEY: API_KEY,
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_URL: this.#listening.url
    }
  }

  /** Opens a checkout page for a person, as the server does, and pays there; gives the session. */
  async buy(userId: string, priceId: string, mode: CheckoutMode, options?: PayOptions): Promise<string> {
    const gateway = makeStripePaymentGateway({
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
