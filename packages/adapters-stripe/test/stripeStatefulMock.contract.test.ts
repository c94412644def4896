import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { paymentGatewayContract, type StagedGateway } from "@parley/core/testing"
import { Effect, Redacted } from "effect"
import { Stripe } from "stripe"
import { createExpressApp } from "stripe-stateful-mock"
import { describe, expect, it } from "vitest"
import { makeStripePayments } from "../src/index.ts"

/** It separates the objects of each key. */
const opened = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer(createExpressApp())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const apiKey = `sk_test_${crypto.randomUUID()}`
    const stripe = new Stripe(apiKey, { host: "127.0.0.1", port, protocol: "http", telemetry: false })
    return { server, stripe, apiKey, apiUrl: `http://127.0.0.1:${port}` }
  }),
  ({ server }) =>
    Effect.promise(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    })
)

const SECRET = "whsec_contract"

const staged = Effect.gen(function* () {
  const { apiKey, apiUrl, stripe } = yield* opened
  const { id: product } = yield* Effect.promise(() => stripe.products.create({ name: "Pro" }))
  const price = (more: Partial<Stripe.PriceCreateParams>) =>
    Effect.promise(() => stripe.prices.create({ product, currency: "usd", unit_amount: 2_000, ...more }))
  const subscriptionPrice = yield* price({ recurring: { interval: "month" } })
  const oneTimePrice = yield* price({})
  const gateway: StagedGateway = {
    gateway: makeStripePayments({
      apiKey: Redacted.make(apiKey),
      webhookSecret: Redacted.make(SECRET),
      apiUrl
    }),
    subscriptionPrice: subscriptionPrice.id,
    oneTimePrice: oneTimePrice.id,
    pay: undefined,
    sign: (payload, at, secret = "right") =>
      Effect.sync(() =>
        Stripe.webhooks.generateTestHeaderString({
          payload: new TextDecoder().decode(payload),
          secret: secret === "right" ? SECRET : "whsec_other",
          timestamp: Math.floor(at / 1000)
        })
      )
  }
  return { ...gateway, stripe }
})

paymentGatewayContract("a server of Stripe's protocol that others wrote", { stage: staged, lacks: ["pages"] })

describe("the gateway, on a server that others wrote", () => {
  it("reads a subscription in the form of before 2025-03-31, with person and period", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { gateway, stripe, subscriptionPrice } = yield* staged
          const input = { userId: "ann", email: "ann@example.com", idempotencyKey: "customer:ann" }
          const { customerId } = yield* gateway.createCustomer(input)
          // This server needs both the first and the present price of a subscription.
          const plan = yield* Effect.promise(() =>
            stripe.plans.create({ amount: 2_000, currency: "usd", interval: "month", product: { name: "Pro" } })
          )
          const made = yield* Effect.promise(() =>
            stripe.subscriptions.create({
              customer: customerId,
              items: [{ price: subscriptionPrice, plan: plan.id }],
              metadata: { parley_user: "ann" }
            })
          )
          const subscription = yield* gateway.subscription(made.id)
          expect(subscription).toMatchObject({ id: made.id, customerId, userId: "ann", status: "active" })
          const [item] = subscription.items
          expect(item?.priceId).toBe(subscriptionPrice)
          const month = (item?.periodEnd ?? 0) - (item?.periodStart ?? 0)
          expect(month).toBeGreaterThan(27 * 86_400_000)
          expect(month).toBeLessThan(32 * 86_400_000)
        })
      )
    ))

  it("reads a charge with what was given back of it in all", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { gateway, stripe } = yield* staged
          const made = yield* Effect.promise(() =>
            stripe.charges.create({ amount: 2_000, currency: "EUR", source: "tok_visa" })
          )
          for (const amount of [500, 300]) {
            yield* Effect.promise(() => stripe.refunds.create({ charge: made.id, amount }))
          }
          expect(yield* gateway.charge(made.id)).toEqual({
            id: made.id,
            paymentId: undefined,
            customerId: undefined,
            amount: 2_000,
            amountRefunded: 800,
            currency: "eur",
            invoiceId: null
          })
        })
      )
    ))
})
