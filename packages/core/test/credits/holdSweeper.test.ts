import { assert, describe, it } from "@effect/vitest"
import { CreditRecords, CreditUpkeep } from "@parley/core/adapter"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { HoldSweeper, inMemoryStorageLayer } from "@parley/core/effect"
import { StorageFailed } from "@parley/core/adapter"
import { reservation } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const failed = new StorageFailed({ operation: "CreditLedger.sweep", retryable: true, cause: new Error("away") })

/** A ledger whose sweeps fail for as long as `away` says. */
const outage = () => {
  const state = { away: true }
  const ledgers = Layer.effect(
    CreditUpkeep,
    Effect.map(CreditUpkeep, (upkeep) =>
      CreditUpkeep.of({
        ...upkeep,
        sweep: (input) => Effect.suspend(() => (state.away ? failed : upkeep.sweep(input)))
      })
    )
  )
  const services = HoldSweeper.layer.pipe(Layer.provideMerge(ledgers), Layer.provideMerge(inMemoryStorageLayer))
  return { state, services }
}

const held = Effect.map(
  CreditRecords.use((ledger) => ledger.account("ann")),
  ({ heldAllowance }) => heldAllowance
)

describe("a sweeper", () => {
  it.effect("goes on after an outage, once processes that live have had time to renew what they could not", () => {
    const { state, services } = outage()
    return Effect.gen(function* () {
      const ledger = yield* testedLedger
      yield* ledger.open({ userId: "ann", tier: "free", allowance: 100 })
      yield* ledger.reserve(reservation("ann", "reply:1", 10, { ttlMs: 1_000 }))
      yield* Effect.forkChild(HoldSweeper.use(({ run }) => run))
      yield* TestClock.adjust("2 minutes")
      state.away = false
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* held, 10)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* held, 0)
    }).pipe(Effect.provide(services))
  })

  it.effect("that starts after an outage sweeps no hold before its process had time to renew it", () => {
    const { state, services } = outage()
    state.away = false
    return Effect.gen(function* () {
      const ledger = yield* testedLedger
      yield* ledger.open({ userId: "ann", tier: "free", allowance: 100 })
      yield* ledger.reserve(reservation("ann", "reply:1", 10, { ttlMs: 60_000 }))
      yield* TestClock.adjust("2 minutes")
      yield* Effect.forkChild(HoldSweeper.use(({ run }) => run))
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* held, 10)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* held, 0)
    }).pipe(Effect.provide(services))
  })
})
