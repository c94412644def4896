import { Effect, Layer, Logger } from "effect"
import { CreditRecords } from "../../src/credits/CreditLedger.ts"
import { describe, expect, it } from "vitest"
import type { PaymentCharge, PaymentDispute, PaymentEvent } from "../../src/billing/provider/PaymentEvent.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { billingInMemory } from "./stories.ts"

const AT = Date.UTC(2027, 0, 10)
const GRANTED = WORLD_CATALOG.prices.price_credits.topup
const PAID = 990

let count = 0
const accept = (event: PaymentEvent) => {
  count += 1
  const neutral = { id: `evt_${count}`, kind: event._tag, createdAt: AT + count * 1_000, customerId: "cus_1", event }
  return PaymentInbox.use((inbox) => inbox.accept({ ...neutral, payload: JSON.stringify(neutral) }))
}

const bought: Extract<PaymentEvent, { readonly _tag: "Checkout" }> = {
  _tag: "Checkout",
  session: {
    id: "cs_1",
    mode: "one-time",
    customerId: "cus_1",
    userId: "ann",
    priceId: "price_credits",
    subscriptionId: undefined,
    paymentId: "pi_1",
    isPaid: true,
    amountTotal: PAID,
    currency: "usd",
    createdAt: AT
  }
}

const refunded = (charge: Pick<PaymentCharge, "amount" | "amountRefunded" | "currency">): PaymentEvent => ({
  _tag: "Charge",
  charge: { id: "ch_1", paymentId: "pi_1", customerId: "cus_1", ...charge }
})

const disputed = (dispute: Pick<PaymentDispute, "amount" | "currency" | "whole">): PaymentEvent => ({
  _tag: "Dispute",
  dispute: { id: "dp_1", chargeId: "ch_1", paymentId: "pi_1", funds: "withdrawn", ...dispute }
})

/** The rest of bought credits after a report, and the outcome of the report. */
const leftAfter = (
  report: PaymentEvent,
  purchase: PaymentEvent = bought,
  gateway: PaymentProvider = neutralProvider()
) =>
  Effect.gen(function* () {
    yield* accept(purchase)
    const { state } = yield* accept(report)
    const { debt, topup } = yield* CreditRecords.use((ledger) => ledger.account("ann"))
    return { state, topup, debt }
  }).pipe(
    Effect.provide(
      PaymentInbox.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            billingInMemory,
            Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG)),
            paymentProviderLayer(gateway),
            Logger.layer([])
          )
        )
      ),
      { local: true }
    ),
    Effect.runPromise
  )

describe("of credits that were bought", () => {
  it.each<readonly [what: string, report: PaymentEvent, left: number]>([
    [
      "half, where half is refunded",
      refunded({ amount: PAID, amountRefunded: PAID / 2, currency: "usd" }),
      GRANTED / 2
    ],
    [
      "half, where half is refunded of a charge in the customer's own currency",
      refunded({ amount: 150_000, amountRefunded: 75_000, currency: "jpy" }),
      GRANTED / 2
    ],
    [
      "a third, where two thirds are refunded of a charge of amounts as large as numbers go",
      refunded({
        amount: 9_007_199_254_740_990,
        amountRefunded: 6_004_799_503_160_660,
        currency: "idr"
      }),
      GRANTED - Math.floor((GRANTED * Math.floor((PAID * 2) / 3)) / PAID)
    ],
    [
      "nothing, where more is refunded than was paid",
      refunded({ amount: PAID, amountRefunded: 10 * PAID, currency: "usd" }),
      0
    ],
    [
      "nothing, where more is refunded than was charged, in another currency",
      refunded({ amount: 100, amountRefunded: 1_000, currency: "eur" }),
      0
    ],
    [
      "all, where nothing is refunded any more",
      refunded({ amount: PAID, amountRefunded: 0, currency: "usd" }),
      GRANTED
    ],
    ["half, where half is disputed", disputed({ amount: PAID / 2, currency: "usd" }), GRANTED / 2],
    ["nothing, where more is disputed than was paid", disputed({ amount: 3 * PAID, currency: "usd" }), 0],
    [
      "half, where half of the charge is disputed in another currency",
      disputed({ amount: 450, currency: "eur", whole: 900 }),
      GRANTED / 2
    ],
    [
      "nothing, where it cannot be said what part of the charge is disputed in another currency",
      disputed({ amount: 1, currency: "eur", whole: null }),
      0
    ]
  ])("%s, is left", async (_what, report, left) => {
    expect(await leftAfter(report)).toEqual({ state: "applied", topup: left, debt: 0 })
  })

  it("a half is left where the provider is asked what half of the charge is disputed in another currency", async () => {
    const charge = { id: "ch_1", paymentId: "pi_1", customerId: "cus_1", amountRefunded: 0, invoiceId: null }
    const gateway = { ...neutralProvider(), charge: () => Effect.succeed({ ...charge, amount: 900, currency: "eur" }) }
    const report = disputed({ amount: 450, currency: "eur" })
    expect(await leftAfter(report, bought, gateway)).toEqual({ state: "applied", topup: GRANTED / 2, debt: 0 })
  })

  it("all is there, once, where nothing was to pay and several events tell of it", async () => {
    const free: PaymentEvent = { ...bought, session: { ...bought.session, amountTotal: 0, paymentId: undefined } }
    expect(await leftAfter(free, free)).toEqual({ state: "applied", topup: GRANTED, debt: 0 })
  })

  it.each([
    ["a refund", refunded({ amount: PAID, amountRefunded: -1, currency: "usd" })],
    ["a dispute", disputed({ amount: -1, currency: "usd" })]
  ])("all is left where %s is of less than nothing, which is refused", async (_what, report) => {
    expect(await leftAfter(report)).toEqual({ state: "refused", topup: GRANTED, debt: 0 })
  })
})
