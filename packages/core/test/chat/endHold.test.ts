import { assert, describe, it } from "@effect/vitest"
import { CreditLedger, parleyLayer, StorageFailed } from "@parley/core"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ask, balance, says, scriptedModel, transactions, world } from "./world.ts"

/** A ledger whose `settle` fails for as long as `down` says, and that counts its heartbeats. */
const outage = () => {
  const state = { down: true, renewed: 0 }
  const layer = Layer.effect(
    CreditLedger,
    Effect.map(CreditLedger, (ledger) =>
      CreditLedger.of({
        ...ledger,
        renew: (input) => {
          state.renewed += 1
          return ledger.renew(input)
        },
        settle: (input) =>
          Effect.suspend(() =>
            state.down
              ? Effect.fail(new StorageFailed({ operation: "settle", retryable: true, cause: new Error("down") }))
              : ledger.settle(input)
          )
      })
    )
  )
  return { state, layer }
}

describe("a storage that is down when a reply ends", () => {
  it.effect("keeps neither the reader waiting nor the reply free: it is settled once the storage answers", () => {
    const { state, layer } = outage()
    const ports = world(scriptedModel(() => says(["Hello"], { input: 1_000, output: 500 })))
    const services = Layer.fresh(parleyLayer).pipe(Layer.provideMerge(layer), Layer.provideMerge(ports))
    return Effect.gen(function* () {
      const asking = yield* Effect.forkChild(ask("ann", "Hi"))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(asking)).text, "Hello")
      assert.isAbove((yield* balance("ann")).held, 0)
      yield* TestClock.adjust("5 minutes")
      assert.isAbove(state.renewed, 100)
      assert.isAbove((yield* balance("ann")).held, 0)
      state.down = false
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 97 })
      const charged = (yield* transactions("ann")).filter((row) => row.type === "usage")
      assert.deepStrictEqual(
        charged.map((row) => row.receipt?.ended),
        ["completed"]
      )
      const after = state.renewed
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(state.renewed, after)
    }).pipe(Effect.provide(services))
  })
})
