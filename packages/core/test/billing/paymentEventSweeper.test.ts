import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { PaymentEventStore } from "../../src/billing/inbox/PaymentEventStore.ts"
import { PaymentEventSweeper } from "../../src/billing/upkeep/PaymentEventSweeper.ts"
import { type ParleySettings, settingsLayer } from "../../src/parleySettings.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const DAY = 86_400_000

/** The number of 1,200 events without a person that are left this number of days after they came. */
const leftAfter = (days: number, paymentRetention?: ParleySettings["paymentRetention"]) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* PaymentEventStore
      const event = (index: number) => ({
        id: `evt_${index}`,
        kind: "product.created",
        createdAt: START,
        customerId: undefined,
        payload: "{}"
      })
      const keep = Effect.forEach(Array.from({ length: 1_200 }), (_, index) =>
        store.keep(event(index), { state: "ignored", note: "" })
      )
      yield* atTime(START, keep)
      const sweeper = yield* PaymentEventSweeper
      const { deleted } = yield* atTime(START + days * DAY, sweeper.sweep)
      const { rows: left } = yield* store.list({ state: undefined, userId: undefined, limit: 2_000, after: undefined })
      expect(left.length + deleted).toBe(1_200)
      return left.length
    }).pipe(
      Effect.provide(
        PaymentEventSweeper.layer.pipe(
          Layer.provideMerge(billingInMemory),
          Layer.provide(settingsLayer({ paymentRetention }))
        ),
        { local: true }
      )
    )
  )

it("events are kept for 90 days, unless configured otherwise, and then forgotten, all of them", async () => {
  expect(await leftAfter(89)).toBe(1_200)
  expect(await leftAfter(91)).toBe(0)
  expect(await leftAfter(40, { unmatchedMs: 31 * DAY })).toBe(0)
  expect(await leftAfter(40, { doneMs: 31 * DAY })).toBe(1_200)
})
