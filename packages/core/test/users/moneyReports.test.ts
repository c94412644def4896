import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { receiptDraft, reservation } from "../../src/testing/credits/creditFixtures.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { MoneyRecords } from "../../src/users/MoneyRecords.ts"
import { MoneyReports } from "../../src/users/MoneyReports.ts"

const NOON = Date.UTC(2026, 10, 27, 12)
const MINUTE_MS = 60_000

it("a day that is over is read once; today is read each time, and so is a day whose last charges may be on their way", async () => {
  const read: Array<number> = []
  const counting = Layer.effect(
    MoneyRecords,
    Effect.map(MoneyRecords, (money) => ({
      ...money,
      charges: (days: { readonly firstDay: number; readonly lastDay: number }) => {
        read.push(days.lastDay - days.firstDay + 1)
        return money.charges(days)
      }
    }))
  )
  const layer = Layer.provideMerge(
    Layer.provide(MoneyReports.layer, counting),
    Layer.provideMerge(inMemoryStorageLayer, TestClock.layer())
  )
  const work = Effect.gen(function* () {
    const ledger = yield* testedLedger
    const charge = Effect.fnUntraced(function* (key: string) {
      yield* ledger.reserve(reservation("ann", key, 10))
      yield* ledger.settle({ userId: "ann", key, amount: 3, draft: receiptDraft })
    })
    const report = Effect.gen(function* () {
      read.length = 0
      const { charges, from, to } = yield* MoneyReports.use((reports) => reports.days(3))
      return { from, to, reads: read.length, charged: charges.map(({ credits, day }) => [day, credits]) }
    })
    yield* TestClock.setTime(NOON)
    yield* ledger.open({ userId: "ann", tier: "free", allowance: 100 })
    yield* charge("reply:1")
    const first = yield* report
    expect(first).toEqual({ from: "2026-11-25", to: "2026-11-27", reads: 3, charged: [["2026-11-27", 3]] })
    expect((yield* report).reads).toBe(1)
    // A minute after midnight.
    yield* TestClock.setTime(Date.UTC(2026, 10, 28) - MINUTE_MS)
    yield* charge("reply:2")
    yield* TestClock.setTime(Date.UTC(2026, 10, 28) + MINUTE_MS)
    expect(yield* report).toEqual({ from: "2026-11-26", to: "2026-11-28", reads: 2, charged: [["2026-11-27", 6]] })
    expect((yield* report).reads).toBe(2)
    yield* TestClock.setTime(Date.UTC(2026, 10, 28) + 6 * MINUTE_MS)
    expect((yield* report).reads).toBe(2)
    expect(yield* report).toMatchObject({ reads: 1, charged: [["2026-11-27", 6]] })
  })
  await Effect.runPromise(Effect.provide(work, layer))
})
