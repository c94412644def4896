import { Effect, Layer, Logger } from "effect"
import { type CreditPorts, CreditRecords } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { describe, expect, it } from "vitest"
import type { BillingStore } from "../../src/billing/BillingStore.ts"
import { PaymentEventStore } from "../../src/billing/inbox/PaymentEventStore.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import type { InvoiceReason, PaymentEvent, SubscriptionStatus } from "../../src/billing/provider/PaymentEvent.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { allowancesOf } from "../../src/tiers/CatalogData.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { neutralProviderLayer } from "../../src/testing/billing/neutralProvider.ts"
import { resetAll } from "../../src/testing/credits/resetAll.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const HOUR = 3_600_000
const MONTH = Date.UTC(2027, 1, 10) - START
const user = { userId: "user-1", customerId: "cus_1" }
const world = makeCatalog(WORLD_CATALOG)

const reported = (
  id: string,
  priceId: string,
  status: SubscriptionStatus,
  ended?: number,
  start = START
): PaymentEvent => ({
  _tag: "Subscription",
  subscription: {
    ...user,
    id,
    status,
    items: [{ priceId, periodStart: start, periodEnd: start + MONTH }],
    startedAt: START,
    endsAt: undefined,
    endedAt: ended
  }
})

const boughtPlan = (subscriptionId: string, priceId: string): PaymentEvent => ({
  _tag: "Checkout",
  session: {
    ...user,
    id: "cs_1",
    mode: "subscription",
    priceId,
    subscriptionId,
    paymentId: undefined,
    isPaid: true,
    amountTotal: 1_900,
    currency: "usd",
    createdAt: START
  }
})

const paid = (
  subscriptionId: string,
  priceId: string,
  reason: InvoiceReason,
  start = START,
  end = start + MONTH
): PaymentEvent => ({
  _tag: "InvoicePaid",
  invoice: {
    ...user,
    id: `in_${subscriptionId}_${start}`,
    subscriptionId,
    reason,
    amountPaid: 1_900,
    currency: "usd",
    lines: [
      { priceId, subscriptionId, periodStart: start, periodEnd: end, isProration: false, amount: 1_900, quantity: 1 }
    ],
    createdAt: start
  }
})

let count = 0
const accept = (event: PaymentEvent, createdAt: number) => {
  count += 1
  const neutral = { id: `evt_${count}`, kind: event._tag, createdAt, customerId: user.customerId, event }
  return atTime(
    createdAt,
    PaymentInbox.use((inbox) => inbox.accept({ ...neutral, payload: JSON.stringify(neutral) }))
  )
}

const account = CreditRecords.use((ledger) => ledger.account(user.userId))

/** Runs against one storage with one catalog after another. */
const onCatalogs = async (
  ...acts: ReadonlyArray<
    readonly [
      typeof world,
      Effect.Effect<unknown, unknown, BillingStore | PaymentEventStore | PaymentInbox | CreditPorts>
    ]
  >
) => {
  const storage = await Effect.runPromise(Layer.build(billingInMemory).pipe(Effect.scoped))
  for (const [catalog, act] of acts) {
    const layer = PaymentInbox.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          Layer.succeedContext(storage),
          Layer.succeed(Catalog, catalog),
          neutralProviderLayer(),
          Logger.layer([])
        )
      )
    )
    await Effect.runPromise(act.pipe(Effect.provide(layer)))
  }
}

const spend = (amount: number) =>
  Effect.flatMap(testedLedger, (credits) =>
    credits.adjust({ userId: user.userId, key: `spent:${++count}`, amount: -amount, reason: "spent" })
  )

const spendAll = Effect.gen(function* () {
  const { allowance } = (yield* account) ?? { allowance: 0 }
  yield* Effect.flatMap(testedLedger, (credits) =>
    credits.adjust({ userId: user.userId, key: `spent:${allowance}`, amount: -allowance, reason: "spent" })
  )
})

describe("subscriptions in and out of good standing", () => {
  it("one that falls behind within a period that is paid, and recovers, gives that period no second time", () =>
    onCatalogs([
      world,
      Effect.gen(function* () {
        yield* accept(paid("sub_small", "price_pro", "create"), START)
        yield* accept(paid("sub_large", "price_business", "create"), START)
        expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000 })
        yield* spendAll
        for (const hour of [1, 3, 5]) {
          yield* accept(reported("sub_large", "price_business", "past-due"), START + hour * HOUR)
          expect(yield* account).toMatchObject({ tier: "business" })
          yield* accept(reported("sub_large", "price_business", "active"), START + (hour + 1) * HOUR)
        }
        expect(yield* account).toMatchObject({ tier: "business", allowance: 0 })
      })
    ]))

  it("a month of a year that the monthly job has begun is given no second time by what is reported in it", () =>
    onCatalogs([
      world,
      Effect.gen(function* () {
        const year = Date.UTC(2028, 0, 10)
        const march = Date.UTC(2027, 2, 10)
        yield* accept(paid("sub_year", "price_pro_year", "create", START, year), START)
        const ledger = yield* testedLedger
        const allowances = allowancesOf(world)
        yield* atTime(march + HOUR, resetAll(ledger, { asOf: march + HOUR, allowances }))
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000, periodStart: march })
        yield* spend(1_000)
        for (const hour of [2, 3]) {
          yield* accept(reported("sub_year", "price_pro_year", "active"), march + hour * HOUR)
          expect(yield* account).toMatchObject({ tier: "pro", allowance: 0, periodStart: march })
        }
      })
    ]))

  it("an invoice that is paid after its subscription has ended is to be refunded, in either order of the reports", async () => {
    const end = START + MONTH
    const [ended, late] = [end + 10 * 24 * HOUR, end + 12 * 24 * HOUR]
    const gone = reported("sub_1", "price_pro", "ended", ended)
    const pays = paid("sub_1", "price_pro", "cycle", end, end + MONTH)
    const note = `to be refunded: invoice in_sub_1_${end} was paid after its subscription had ended`
    for (const order of [
      [
        [gone, ended],
        [pays, late]
      ],
      [
        [pays, late],
        [gone, ended]
      ]
    ] as const) {
      await onCatalogs([
        world,
        Effect.gen(function* () {
          yield* accept(paid("sub_1", "price_pro", "create"), START)
          const [[first, firstAt], [second, secondAt]] = order
          yield* accept(first, firstAt)
          expect(yield* accept(second, secondAt)).toMatchObject({ state: "owed", note })
          expect(yield* account).toMatchObject({ tier: "free" })
          const gives = { amount: 1_900, currency: "usd", invoiceId: `in_sub_1_${end}` }
          const refund = { id: "ch_1", paymentId: "pi_1", customerId: "cus_1", amountRefunded: 1_900, ...gives }
          yield* accept({ _tag: "Charge", charge: refund }, late + HOUR)
          const list = PaymentEventStore.use((store) =>
            store.list({ state: "owed", userId: "user-1", limit: 10, after: undefined })
          )
          expect((yield* list).rows).toEqual([])
        })
      ])
    }
    // One that was paid before, and is reported afterwards, is a payment as any other.
    await onCatalogs([
      world,
      Effect.gen(function* () {
        yield* accept(paid("sub_1", "price_pro", "create"), START)
        yield* accept(gone, ended)
        expect(yield* accept(pays, ended - HOUR)).toMatchObject({ state: "applied" })
      })
    ])
  })

  it("an invoice that is made by hand, or for another reason, begins no period", () =>
    onCatalogs([
      world,
      Effect.gen(function* () {
        yield* accept(paid("sub_1", "price_pro", "create"), START)
        yield* spend(1_000)
        const week = START + 7 * 24 * HOUR
        const made = yield* accept(paid("sub_1", "price_business", "other", week), week)
        expect(made.state).toBe("ignored")
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 0, periodStart: START })
      })
    ]))

  it("a checkout pays for the period that it began, and not for one of another length that is reported before its invoice", () =>
    onCatalogs([
      world,
      Effect.gen(function* () {
        yield* accept(boughtPlan("sub_1", "price_pro_year"), START)
        yield* accept(reported("sub_1", "price_business", "active", undefined, START + HOUR), START + HOUR)
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
        yield* accept(paid("sub_1", "price_business", "update", START + HOUR), START + 2 * HOUR)
        expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000, periodStart: START + HOUR })
      })
    ]))

  it("one whose place another took, and that comes back, goes on with what was left of its period", () =>
    onCatalogs([
      world,
      Effect.gen(function* () {
        const end = START + MONTH
        yield* accept(paid("sub_small", "price_pro", "create"), START)
        yield* accept(paid("sub_large", "price_business", "create"), START)
        yield* spend(4_000)
        // It falls behind after its period, and the other one goes on; then that one ends.
        yield* accept(paid("sub_small", "price_pro", "cycle", end, end + MONTH), end)
        yield* accept(reported("sub_large", "price_business", "past-due"), end + HOUR)
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
        yield* spend(1_000)
        yield* accept(reported("sub_small", "price_pro", "ended", end + 2 * HOUR), end + 2 * HOUR)
        expect(yield* account).toMatchObject({ tier: "business", allowance: 1_000 })
        yield* accept(reported("sub_large", "price_business", "active"), end + 3 * HOUR)
        expect(yield* account).toMatchObject({ tier: "business", allowance: 1_000 })
        yield* accept(paid("sub_large", "price_business", "cycle", end, end + MONTH), end + 3 * HOUR)
      })
    ]))

  it("two that renew at the same moment are given once each, whichever takes the other's place", () =>
    onCatalogs([
      world,
      Effect.gen(function* () {
        const end = START + MONTH
        yield* accept(paid("sub_small", "price_pro", "create"), START)
        yield* accept(paid("sub_large", "price_business", "create"), START)
        // The larger one falls behind at its end, and the smaller one is paid for.
        yield* accept(reported("sub_large", "price_business", "past-due"), end)
        yield* accept(paid("sub_small", "price_pro", "cycle", end, end + MONTH), end)
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000, periodStart: end })
        yield* spend(400)
        const recovered = paid("sub_large", "price_business", "cycle", end, end + MONTH)
        yield* accept(recovered, end + HOUR)
        expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000, periodStart: end })
        yield* spend(4_000)
        // Reported again, neither is given again.
        yield* accept(recovered, end + 2 * HOUR)
        yield* accept(paid("sub_small", "price_pro", "cycle", end, end + MONTH), end + 2 * HOUR)
        expect(yield* account).toMatchObject({ tier: "business", allowance: 1_000 })
        yield* accept(reported("sub_large", "price_business", "ended", end + 3 * HOUR), end + 3 * HOUR)
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 600 })
        yield* accept(reported("sub_small", "price_pro", "active", undefined, end), end + 4 * HOUR)
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 600 })
      })
    ]))

  it("an invoice for a price of no plan leaves the plan that is paid for, and is refused", () =>
    onCatalogs([
      world,
      Effect.gen(function* () {
        yield* accept(paid("sub_1", "price_pro", "create"), START)
        const week = START + 7 * 24 * HOUR
        const made = yield* accept(paid("sub_1", "price_addon", "cycle", week, 2 * week - START), week)
        expect(made.state).toBe("refused")
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
        yield* accept(paid("sub_1", "price_business", "update", week), week + HOUR)
        expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000 })
      })
    ]))

  it("a subscription that ends takes its plan along, also where its price is sold no more", () => {
    const without = makeCatalog({ ...WORLD_CATALOG, prices: { price_business: { tier: "business" } } })
    return onCatalogs(
      [world, accept(paid("sub_1", "price_pro", "create"), START)],
      [
        without,
        Effect.gen(function* () {
          yield* accept(reported("sub_1", "price_pro", "ended", START + HOUR), START + HOUR)
          expect(yield* account).toMatchObject({ tier: "free", allowance: 100, renewedBy: "schedule" })
        })
      ]
    )
  })

  it("one that goes on at a price that is sold no more does not fall back to free for an older one that ended", () => {
    const without = makeCatalog({ ...WORLD_CATALOG, prices: { price_business: { tier: "business" } } })
    return onCatalogs(
      [
        world,
        Effect.gen(function* () {
          yield* accept(paid("sub_0", "price_pro", "create"), START)
          yield* accept(reported("sub_0", "price_pro", "ended", START + HOUR), START + HOUR)
          yield* accept(paid("sub_1", "price_pro", "create"), START + 2 * HOUR)
        })
      ],
      [
        without,
        Effect.gen(function* () {
          yield* accept(reported("sub_1", "price_pro", "active"), START + 3 * HOUR)
          expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
        })
      ]
    )
  })
})
