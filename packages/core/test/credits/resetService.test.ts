import { assert, it } from "@effect/vitest"
import { Catalog, CreditLedger, inMemoryStorageLayer, makeCatalog, ResetService, StorageFailed } from "@parley/core"
import { Effect, Layer } from "effect"

const MONTH = 32 * 24 * 3_600_000
const refusal = new StorageFailed({ operation: "CreditLedger.reset", retryable: false, cause: new Error("refused") })

it.effect("a reset that is refused for everybody fails, and does not ask for each account", () => {
  let asked = 0
  const refusing = Layer.effect(
    CreditLedger,
    Effect.map(CreditLedger, (ledger) => ({
      ...ledger,
      reset: () =>
        Effect.suspend(() => {
          asked += 1
          return Effect.fail(refusal)
        })
    }))
  ).pipe(Layer.provideMerge(inMemoryStorageLayer))
  return Effect.gen(function* () {
    const ledger = yield* CreditLedger
    for (let count = 0; count < 100; count += 1) {
      yield* ledger.open({ userId: `user-${count}`, tier: "free", allowance: 100 })
    }
    const failed = yield* Effect.flip(ResetService.use((resets) => resets.run({ asOf: MONTH })))
    assert.strictEqual(failed, refusal)
    assert.isAtMost(asked, 11)
  }).pipe(
    Effect.provide(
      ResetService.layer.pipe(Layer.provideMerge(refusing), Layer.provide(Layer.succeed(Catalog, makeCatalog())))
    )
  )
})
