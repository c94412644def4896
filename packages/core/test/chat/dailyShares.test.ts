import { assert, it } from "@effect/vitest"
import { SpendLimiter, StorageFailed } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeTakeShares } from "../../src/chat/limits/dailyShares.ts"
import { InMemorySpendLimiter } from "../../src/limits/InMemorySpendLimiter.ts"

const shares = [{ name: "address", subject: "192.0.2.1", credits: 10 }] as const
const asked = { amount: 10, minimumAmount: 1, source: "bot:7" } as const

it.effect(
  "credits that an outage keeps from being given back are given back after it, and no reply waits for that",
  () => {
    let isDown = true
    const failing = Layer.effect(
      SpendLimiter,
      Effect.map(SpendLimiter, (limiter) =>
        SpendLimiter.of({
          ...limiter,
          giveBack: (input) =>
            Effect.suspend(() =>
              isDown
                ? new StorageFailed({ operation: "SpendLimiter.giveBack", retryable: true, cause: new Error("down") })
                : limiter.giveBack(input)
            )
        })
      )
    )
    return Effect.gen(function* () {
      const take = yield* makeTakeShares
      const { giveBack } = yield* take(shares, asked)
      yield* giveBack(7)
      yield* TestClock.adjust("2 minutes")
      isDown = false
      assert.strictEqual((yield* Effect.flip(take(shares, asked)))._tag, "DailyCapReached")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* take(shares, asked)).amount, 7)
    }).pipe(Effect.provide(failing.pipe(Layer.provide(InMemorySpendLimiter.layer))), Effect.scoped)
  }
)
