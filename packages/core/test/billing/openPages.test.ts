import { Effect, Layer, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { PaymentUnavailable } from "../../src/billing/errors.ts"
import type { InvoiceReason, PaymentEvent } from "../../src/billing/provider/PaymentEvent.ts"
import { type CloseCheckoutsInput } from "../../src/billing/provider/PaymentGateway.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { billingInMemory } from "./stories.ts"

const AT = Date.UTC(2027, 0, 10)
const MONTH = Date.UTC(2027, 1, 10)
const ann = { userId: "ann", customerId: "cus_1" }

const checkout = (mode: "subscription" | "one-time", more: object = {}): PaymentEvent => ({
  _tag: "Checkout",
  session: {
    ...ann,
    id: `cs_${mode}`,
    mode,
    priceId: mode === "subscription" ? "price_pro" : "price_credits",
    subscriptionId: mode === "subscription" ? "sub_1" : undefined,
    paymentId: mode === "subscription" ? undefined : "pi_1",
    isPaid: true,
    amountTotal: 1_900,
    currency: "usd",
    createdAt: AT,
    ...more
  }
})

const invoice = (reason: InvoiceReason, person: object = ann): PaymentEvent => ({
  _tag: "InvoicePaid",
  invoice: {
    ...ann,
    id: `in_${reason}`,
    subscriptionId: "sub_1",
    reason,
    amountPaid: 1_900,
    currency: "usd",
    lines: [
      {
        priceId: "price_pro",
        subscriptionId: "sub_1",
        periodStart: AT,
        periodEnd: MONTH,
        isProration: false,
        amount: 1_900,
        quantity: 1
      }
    ],
    createdAt: AT,
    ...person
  }
})

/** The pages that are closed at the provider when events are accepted, and the outcomes of the events. */
const closedBy = async (events: ReadonlyArray<PaymentEvent>, isDown = false) => {
  const closed: Array<CloseCheckoutsInput> = []
  const gateway = {
    ...neutralProvider(),
    closeCheckouts: (input) =>
      Effect.suspend(() => {
        closed.push(input)
        return isDown
          ? Effect.fail(new PaymentUnavailable({ operation: "closeCheckouts", cause: undefined }))
          : Effect.void
      })
  } satisfies PaymentProvider
  const layer = PaymentInbox.layer.pipe(
    Layer.provide([paymentProviderLayer(gateway), Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG))]),
    Layer.provideMerge(billingInMemory),
    Layer.provideMerge(Logger.layer([]))
  )
  const accepted = Effect.forEach(events, (event, index) => {
    const neutral = { id: `evt_${index}`, kind: event._tag, createdAt: AT, customerId: "cus_1", event }
    return PaymentInbox.use((inbox) => inbox.accept({ ...neutral, payload: JSON.stringify(neutral) }))
  })
  const handled = await Effect.runPromise(Effect.provide(accepted, layer, { local: true }))
  return { closed, states: handled.map(({ state }) => state) }
}

describe("open checkout pages for plans", () => {
  const plans = { customerId: "cus_1", mode: "subscription" }

  it.each<readonly [what: string, event: PaymentEvent]>([
    ["its page is paid", checkout("subscription")],
    ["its page is completed, and the payment is under way", checkout("subscription", { isPaid: false })],
    ["its first invoice is paid", invoice("create")]
  ])("are closed once a subscription has begun: %s", async (_what, event) => {
    expect((await closedBy([event])).closed).toEqual([plans])
  })

  it("stay open when credits are bought, a plan is renewed, or the customer is unknown", async () => {
    const stranger = invoice("create", { userId: undefined, customerId: "cus_9", subscriptionId: "sub_9" })
    expect((await closedBy([checkout("one-time"), invoice("cycle"), stranger])).closed).toEqual([])
  })

  it("hold up nothing that was paid for while the provider does not answer", async () => {
    const { closed, states } = await closedBy([checkout("subscription"), invoice("create")], true)
    expect(states).toEqual(["applied", "applied"])
    expect(closed).toEqual([plans, plans])
  })
})
