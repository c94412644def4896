import { Effect, Layer, Logger } from "effect"
import { CreditRecords } from "../../src/credits/CreditLedger.ts"
import { expect, it } from "vitest"
import { BillingStore } from "../../src/billing/BillingStore.ts"
import type { PaidInvoice } from "../../src/billing/provider/PaymentEvent.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const MONTH = Date.UTC(2027, 1, 10)

const whole: PaidInvoice = {
  id: "in_1",
  customerId: "cus_1",
  subscriptionId: "sub_1",
  userId: undefined,
  reason: "create",
  amountPaid: 1_900,
  currency: "usd",
  lines: [
    {
      priceId: "price_pro",
      subscriptionId: "sub_1",
      periodStart: START,
      periodEnd: MONTH,
      isProration: false,
      amount: 1_900,
      quantity: 1
    }
  ],
  createdAt: START
}

/** The look-up of an owner finds none at first; the customer is linked before the look-up's answer is used. */
const linkedMeanwhile = Layer.effect(
  BillingStore,
  Effect.map(BillingStore, (store) => {
    let isLinked = false
    return BillingStore.of({
      ...store,
      ownerOf: (references) =>
        Effect.gen(function* () {
          const owner = yield* store.ownerOf(references)
          if (!isLinked) yield* store.link({ userId: "ann", customerId: "cus_1", replaces: undefined })
          isLinked = true
          return owner
        })
    })
  })
)

it("an invoice of which a part came is decided by all of it, also where its person is linked meanwhile", async () => {
  const asked: Array<string> = []
  const gateway = {
    ...neutralProvider(),
    paidInvoice: (id) => Effect.sync(() => (asked.push(id), whole))
  } satisfies PaymentProvider
  const layer = PaymentInbox.layer.pipe(
    Layer.provide(Layer.provide(linkedMeanwhile, billingInMemory)),
    Layer.provideMerge(
      Layer.mergeAll(
        billingInMemory,
        paymentProviderLayer(gateway),
        Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG)),
        Logger.layer([])
      )
    )
  )
  const event = { _tag: "InvoicePaid", invoice: { ...whole, lines: [], isCut: true } } as const
  const received = { id: "evt_1", kind: "invoice.paid", createdAt: START, customerId: "cus_1", event, payload: "{}" }
  const told = PaymentInbox.use((inbox) => inbox.accept(received))
  const account = await Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        expect(yield* atTime(START, told)).toMatchObject({ state: "applied" })
        return yield* CreditRecords.use((ledger) => ledger.account("ann"))
      }),
      layer,
      { local: true }
    )
  )
  expect(account).toMatchObject({ tier: "pro", allowance: 1_000 })
  expect(asked).toEqual(["in_1"])
})
