import { assert, it } from "@effect/vitest"
import { CreditUpkeep } from "@parley/core/adapter"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { Catalog, inMemoryStorageLayer, ResetService } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { StorageFailed } from "@parley/core/adapter"
import { type ResetInput } from "@parley/core/adapter"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const MONTH = 32 * 24 * 3_600_000
const refusal = new StorageFailed({ operation: "CreditLedger.reset", retryable: false, cause: new Error("refused") })

it.effect("a moment in the future is refused unless it is meant; counting what would be due needs no such word", () =>
  Effect.gen(function* () {
    const ledger = yield* testedLedger
    const resets = yield* ResetService
    const opened = yield* ledger.open({ userId: "ann", tier: "free", allowance: 7 })
    const error = yield* Effect.flip(resets.run({ asOf: opened.nextResetAt }))
    assert.strictEqual(error._tag, "ResetTooEarly")
    assert.include(error.message, new Date(opened.nextResetAt).toISOString())
    assert.deepStrictEqual(yield* ledger.account("ann"), opened)
    assert.strictEqual((yield* resets.run({ asOf: opened.nextResetAt, dryRun: true })).resetCount, 1)
    assert.strictEqual((yield* resets.run({ asOf: yield* ledger.now })).resetCount, 0)
    assert.strictEqual((yield* resets.run({ asOf: opened.nextResetAt, early: true })).resetCount, 1)
  }).pipe(
    Effect.provide(
      ResetService.layer.pipe(
        Layer.provideMerge(inMemoryStorageLayer),
        Layer.provide(Layer.succeed(Catalog, makeCatalog()))
      )
    )
  )
)

it.effect("a reset that is refused for all people fails, and does not try each account", () => {
  let asked = 0
  const refusing = Layer.effect(
    CreditUpkeep,
    Effect.map(CreditUpkeep, (upkeep) => ({
      ...upkeep,
      reset: () =>
        Effect.suspend(() => {
          asked += 1
          return Effect.fail(refusal)
        })
    }))
  ).pipe(Layer.provideMerge(inMemoryStorageLayer))
  return Effect.gen(function* () {
    const ledger = yield* testedLedger
    for (let count = 0; count < 100; count += 1) {
      yield* ledger.open({ userId: `user-${count}`, tier: "free", allowance: 100 })
    }
    const failed = yield* Effect.flip(ResetService.use((resets) => resets.run({ asOf: MONTH, early: true })))
    assert.strictEqual(failed, refusal)
    assert.isAtMost(asked, 11)
  }).pipe(
    Effect.provide(
      ResetService.layer.pipe(Layer.provideMerge(refusing), Layer.provide(Layer.succeed(Catalog, makeCatalog())))
    )
  )
})

it.effect("a reset that has begun waits for a storage that is away for two minutes, and does the rest", () => {
  const away = new StorageFailed({ operation: "CreditLedger.reset", retryable: true, cause: new Error("away") })
  let isAway = true
  const failing = Layer.effect(
    CreditUpkeep,
    Effect.map(CreditUpkeep, (upkeep) => ({
      ...upkeep,
      reset: (input: ResetInput) => Effect.suspend(() => (isAway ? Effect.fail(away) : upkeep.reset(input)))
    }))
  ).pipe(Layer.provideMerge(inMemoryStorageLayer))
  return Effect.gen(function* () {
    const ledger = yield* testedLedger
    yield* ledger.open({ userId: "ann", tier: "free", allowance: 100 })
    const running = yield* Effect.forkChild(ResetService.use((resets) => resets.run({ asOf: MONTH, early: true })))
    yield* TestClock.adjust("2 minutes")
    assert.isUndefined(running.pollUnsafe())
    isAway = false
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* Fiber.join(running)).resetCount, 1)
  }).pipe(
    Effect.provide(
      ResetService.layer.pipe(Layer.provideMerge(failing), Layer.provide(Layer.succeed(Catalog, makeCatalog())))
    )
  )
})
