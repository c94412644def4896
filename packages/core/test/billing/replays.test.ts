import { Context, Effect, Layer, Logger } from "effect"
import { type CreditPorts, CreditRecords } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { expect, it } from "vitest"
import type { BillingStore } from "../../src/billing/BillingStore.ts"
import { PaymentEventStore } from "../../src/billing/inbox/PaymentEventStore.ts"
import { PaymentUnavailable } from "../../src/billing/errors.ts"
import type { PaymentEvent } from "../../src/billing/provider/PaymentEvent.ts"
import { type PaymentPorts, paymentProviderLayer } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { MAX_CREDITS } from "../../src/credits/maxCredits.ts"
import { periodKey } from "../../src/credits/rules/resetPeriod.ts"
import { UnitOfWork } from "../../src/storage/UnitOfWork.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const DAY = 86_400_000
const user = { userId: "ann", customerId: "cus_1" }

/** Whether a unit of work is open, by which look-ups are refused. */
class InUnit extends Context.Reference<boolean>("test/InUnit", { defaultValue: () => false }) {}

const watchedUnits = Layer.effect(
  UnitOfWork,
  Effect.map(UnitOfWork, (units) =>
    UnitOfWork.of({ ...units, run: (owner, work) => units.run(owner, Effect.provideService(work, InUnit, true)) })
  )
)

/** A provider with one charge, which counts its requests while a person is locked. */
const provider = () => {
  const asked = { within: 0, outside: 0, isDown: false }
  const layer = paymentProviderLayer({
    ...neutralProvider(),
    charge: (id) =>
      Effect.gen(function* () {
        if (yield* InUnit) asked.within += 1
        else asked.outside += 1
        if (asked.isDown) return yield* new PaymentUnavailable({ operation: "charge", cause: undefined })
        return { id, paymentId: "pi_1", customerId: "cus_1", amount: 990, amountRefunded: 990, currency: "usd" }
      })
  })
  return { asked, layer }
}

const run = <A, E>(
  work: Effect.Effect<A, E, BillingStore | PaymentEventStore | CreditPorts | PaymentInbox>,
  payments: Layer.Layer<PaymentPorts> = provider().layer
) =>
  Effect.runPromise(
    Effect.provide(
      work,
      PaymentInbox.layer.pipe(
        Layer.provide(watchedUnits),
        Layer.provideMerge(
          Layer.mergeAll(
            billingInMemory,
            payments,
            Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG)),
            Logger.layer([])
          )
        )
      ),
      { local: true }
    )
  )

const accept = (id: string, event: PaymentEvent, at: number) => {
  const neutral = { id, kind: event._tag, createdAt: at, customerId: user.customerId, event }
  return atTime(
    at,
    PaymentInbox.use((inbox) => inbox.accept({ ...neutral, payload: JSON.stringify(neutral) }))
  )
}
const replay = (id: string, at: number) =>
  atTime(
    at,
    PaymentInbox.use((inbox) => inbox.replay(id))
  )
const account = CreditRecords.use((ledger) => ledger.account(user.userId))

const bought: PaymentEvent = {
  _tag: "Checkout",
  session: {
    ...user,
    id: "cs_1",
    mode: "one-time",
    priceId: "price_credits",
    subscriptionId: undefined,
    paymentId: "pi_1",
    isPaid: true,
    amountTotal: 990,
    currency: "usd",
    createdAt: START
  }
}

const yearPaid: PaymentEvent = {
  _tag: "InvoicePaid",
  invoice: {
    ...user,
    id: "in_1",
    subscriptionId: "sub_1",
    reason: "create",
    amountPaid: 19_000,
    currency: "usd",
    lines: [
      {
        priceId: "price_pro_year",
        subscriptionId: "sub_1",
        periodStart: START,
        periodEnd: Date.UTC(2028, 0, 10),
        isProration: false,
        amount: 19_000,
        quantity: 1
      }
    ],
    createdAt: START
  }
}

it("an event of a yearly plan that is replayed in any month begins the month that runs, and is never refused", () =>
  run(
    Effect.gen(function* () {
      yield* accept("evt_1", yearPaid, START)
      for (const month of [1, 2, 3, 5]) {
        const periodStart = Date.UTC(2027, month, 10)
        // The month has begun, and an operator set another plan.
        yield* Effect.flatMap(testedLedger, (credits) =>
          credits.followPlan({
            userId: user.userId,
            periodKey: periodKey(user.userId, periodStart),
            changeKey: `tier:${month}`,
            terms: {
              tier: month % 2 === 0 ? "free" : "business",
              allowance: 100,
              pendingTier: undefined,
              anchor: START,
              periodStart,
              nextResetAt: Date.UTC(2027, month + 1, 10),
              renewedBy: "schedule",
              renewedUntil: undefined
            }
          })
        )
        for (const days of [1, 2]) {
          expect(yield* replay("evt_1", periodStart + days * DAY)).toMatchObject({ state: "applied" })
          expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000, renewedUntil: Date.UTC(2028, 0, 10) })
        }
      }
    })
  ))

it("a purchase that the ledger refused links nothing: once it is granted, what waited for it is applied", () =>
  run(
    Effect.gen(function* () {
      yield* Effect.flatMap(testedLedger, (credits) =>
        credits.open({ userId: user.userId, tier: "free", allowance: MAX_CREDITS })
      )
      expect(yield* accept("evt_1", bought, START)).toMatchObject({ state: "refused" })
      const charge = { id: "ch_1", paymentId: "pi_1", customerId: "cus_1", amount: 990, currency: "usd" }
      const refunded: PaymentEvent = { _tag: "Charge", charge: { ...charge, amountRefunded: 990 } }
      expect(yield* accept("evt_2", refunded, START + DAY)).toMatchObject({ state: "waiting" })
      yield* Effect.flatMap(testedLedger, (credits) =>
        credits.adjust({ userId: user.userId, key: "room", amount: -10_000, reason: "room" })
      )
      expect(yield* replay("evt_1", START + 2 * DAY)).toMatchObject({ state: "applied" })
      expect(yield* PaymentEventStore.use((store) => store.find(["evt_2"]))).toMatchObject([{ state: "applied" }])
      expect(yield* account).toMatchObject({ topup: 0, debt: 0 })
    })
  ))

it("waiting events are looked up while no person is locked, and wait on while the provider is down", async () => {
  const { asked, layer } = provider()
  await run(
    Effect.gen(function* () {
      const state = Effect.map(
        PaymentEventStore.use((store) => store.find(["evt_1"])),
        ([found]) => found?.state
      )
      expect(yield* accept("evt_1", { _tag: "Refund", chargeId: "ch_1" }, START)).toMatchObject({ state: "waiting" })
      expect(yield* accept("evt_2", bought, START)).toMatchObject({ state: "applied" })
      expect(yield* state).toBe("applied")
      expect(yield* account).toMatchObject({ topup: 0, debt: 0 })
    }),
    layer
  )
  expect(asked).toMatchObject({ within: 0, outside: 2 })
  const down = provider()
  await run(
    Effect.gen(function* () {
      yield* accept("evt_1", { _tag: "Refund", chargeId: "ch_1" }, START)
      down.asked.isDown = true
      expect(yield* accept("evt_2", bought, START)).toMatchObject({ state: "applied" })
      expect(yield* account).toMatchObject({ topup: 700 })
      down.asked.isDown = false
      yield* replay("evt_1", START + DAY)
      expect(yield* account).toMatchObject({ topup: 0, debt: 0 })
    }),
    down.layer
  )
  expect(down.asked.within).toBe(0)
})
