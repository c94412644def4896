import { Effect, Redacted, Stream } from "effect"
import { makeStripePayments } from "../../src/index.ts"
import { StandInPayments, type StandInOptions } from "@parley/stripe-stand-in"
import { sale } from "./sale.ts"

/** Noon of the last day of January 2026. */
export const JANUARY_31 = Date.UTC(2026, 0, 31, 12)

/** A stand-in whose real clock stands still, and the gateway in front of it. */
export const stagedStandIn = (options: Partial<StandInOptions> = {}) => {
  const standIn = new StandInPayments({
    prices: sale,
    publicUrl: "http://127.0.0.1:3000/dev/payments",
    now: () => JANUARY_31,
    ...options
  })
  const gateway = makeStripePayments({
    apiKey: Redacted.make(standIn.apiKey),
    webhookSecret: Redacted.make("whsec_1"),
    apiUrl: standIn.base,
    fetch: standIn.fetch,
    limits: { retries: 0 }
  })
  const customer = async (userId = "ann") => {
    const input = { userId, email: `${userId}@example.com`, idempotencyKey: `customer:${userId}` }
    return (await Effect.runPromise(gateway.createCustomer(input))).customerId
  }
  const checkout = async (priceId: string, mode: "subscription" | "one-time", userId = "ann") =>
    Effect.runPromise(
      gateway.checkoutSession({
        customerId: await customer(userId),
        userId,
        priceId,
        mode,
        successUrl: "http://127.0.0.1:3000/done?session={CHECKOUT_SESSION_ID}",
        cancelUrl: "http://127.0.0.1:3000/plans",
        idempotencyKey: crypto.randomUUID()
      })
    )
  /** The events, oldest first, in neutral words. */
  const reports = () =>
    Promise.all(standIn.events.map(async ({ text }) => Effect.runPromise(gateway.read(text)))).then((events) =>
      events.map(({ createdAt, event, kind }) => ({ kind, createdAt, event }))
    )
  const paidInvoices = () =>
    Effect.runPromise(Stream.runCollect(gateway.records({ since: 0 }))).then((all) =>
      [...all].flatMap((record) => (record._tag === "InvoicePaid" ? [record.invoice] : []))
    )
  return { standIn, gateway, customer, checkout, reports, paidInvoices, [Symbol.dispose]: () => standIn.close() }
}

export type Staged = ReturnType<typeof stagedStandIn>

/** Subscribes, and returns the subscription's id. */
export const subscribed = async (
  { checkout, gateway, standIn }: Staged,
  priceId = "price_pro",
  options: Parameters<StandInPayments["pay"]>[1] = {}
): Promise<string> => {
  const { sessionId } = await checkout(priceId, "subscription")
  standIn.pay(sessionId, options)
  return (await Effect.runPromise(gateway.session(sessionId))).subscriptionId ?? ""
}
