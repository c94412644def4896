import {
  Catalog,
  inMemoryStorageLayer,
  PaymentComparison,
  type PaymentDifference,
  PaymentInbox
} from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { CreditRecords, PaymentEventStore, paymentProviderLayer } from "@parley/core/adapter"
import { Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"
import { makeStripePayments } from "../../src/index.ts"
import { type PayOptions, type StandInGeneration, StandInPayments } from "@parley/stripe-stand-in"
import { sale } from "../stand-in/sale.ts"
import { JANUARY_31 } from "../stand-in/stagedStandIn.ts"

const SECRET = "whsec_1"

const catalog = makeCatalog({
  tiers: { free: { monthlyCredits: 100 }, pro: { monthlyCredits: 1_000 }, business: { monthlyCredits: 5_000 } },
  prices: {
    price_pro: { tier: "pro" },
    price_business: { tier: "business" },
    price_pro_year: { tier: "pro" },
    price_credits: { topup: 700 }
  }
})

/** Changes the provider's response to a request, as a parsed value. */
export type Twist = (path: string, answer: unknown) => unknown

export interface ShopOptions {
  readonly generation?: StandInGeneration
  readonly webhookSecret?: string | undefined
}

/**
 * The stand-in with Stripe's protocol, the gateway, and the inbox in memory. The provider's responses can be changed.
 */
export const billedShop = async (options: ShopOptions = {}) => {
  const { generation, webhookSecret } = { webhookSecret: SECRET, ...options }
  const standIn = new StandInPayments({
    prices: sale,
    publicUrl: "http://127.0.0.1:3000/dev/payments",
    now: () => JANUARY_31,
    ...(generation && { generation })
  })
  standIn.deliveries.hold = true
  const asked: Array<string> = []
  let twist: Twist = (_path, answer) => answer
  const gateway = makeStripePayments({
    apiKey: Redacted.make(standIn.apiKey),
    webhookSecret: webhookSecret === undefined ? undefined : Redacted.make(webhookSecret),
    apiUrl: standIn.base,
    limits: { retries: 0 },
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const path = new URL(request.url).pathname.replace(/^.*\/v1\//, "")
      asked.push(`${request.method} ${path}`)
      const response = await standIn.fetch(request)
      const answer: unknown = twist(path, await response.json())
      return Response.json(answer, { status: response.status, headers: { "request-id": "req_1" } })
    }
  })
  const scope = Scope.makeUnsafe()
  const layer = Layer.mergeAll(PaymentInbox.layer, PaymentComparison.layer).pipe(
    Layer.provideMerge(inMemoryStorageLayer),
    Layer.provide(Layer.mergeAll(paymentProviderLayer(gateway), Layer.succeed(Catalog, catalog), Logger.layer([])))
  )
  const context = await Effect.runPromise(Layer.buildWithScope(Layer.fresh(layer), scope))
  const run = <A, E>(work: Effect.Effect<A, E, Layer.Success<typeof layer>>): Promise<A> =>
    Effect.runPromise(Effect.provideContext(work, context))
  /** Delivers an event's text as the provider does. */
  const deliver = (text: string) =>
    run(
      PaymentInbox.use((inbox) =>
        inbox.receive({
          payload: new TextEncoder().encode(text),
          signature: standIn.sign(text, SECRET, JANUARY_31),
          receivedAt: JANUARY_31
        })
      )
    )
  return {
    standIn,
    gateway,
    asked,
    run,
    deliver,
    set twist(next: Twist) {
      twist = next
    },
    /** Delivers all undelivered events, oldest first. */
    deliverAll: async (known: ReadonlySet<string> = new Set()) => {
      for (const { id, text } of standIn.events) if (!known.has(id)) await deliver(text)
    },
    /** Opens a checkout page as the server does, links the customer, and pays. */
    buy: async (userId: string, priceId: string, options?: PayOptions) => {
      const mode = sale.find(({ id }) => id === priceId)?.every === undefined ? "one-time" : "subscription"
      const input = { userId, email: `${userId}@example.com`, idempotencyKey: `customer:${userId}` }
      const { customerId } = await run(gateway.createCustomer(input))
      await run(PaymentInbox.use((inbox) => inbox.link({ userId, customerId, replaces: undefined })))
      const { sessionId } = await run(
        gateway.checkoutSession({
          customerId,
          userId,
          priceId,
          mode,
          successUrl: "http://127.0.0.1:3000/done",
          cancelUrl: "http://127.0.0.1:3000/plans",
          idempotencyKey: crypto.randomUUID()
        })
      )
      standIn.pay(sessionId, options)
      return { customerId, sessionId }
    },
    catchUp: () => run(PaymentInbox.use((inbox) => inbox.catchUp({ since: 0, dryRun: false }))),
    /** The differences between the ledger and the provider. */
    differences: () =>
      run(
        Effect.gen(function* () {
          const found: Array<PaymentDifference> = []
          const comparison = yield* PaymentComparison
          yield* comparison.compare({
            since: 0,
            onDifference: (difference) => Effect.sync(() => void found.push(difference))
          })
          return found
        })
      ),
    events: () =>
      run(
        PaymentEventStore.use((store) =>
          store.list({ state: undefined, userId: undefined, limit: 100, after: undefined })
        )
      ).then(({ rows }) => rows),
    account: (userId: string) => run(CreditRecords.use((ledger) => ledger.account(userId))),
    [Symbol.asyncDispose]: async () => {
      standIn.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

export type BilledShop = Awaited<ReturnType<typeof billedShop>>
