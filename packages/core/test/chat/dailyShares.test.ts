import { assert, it } from "@effect/vitest"
import { SpendLimiter, StorageFailed } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeTakeShares } from "../../src/chat/limits/dailyShares.ts"
import { InMemorySpendLimiter } from "../../src/limits/InMemorySpendLimiter.ts"

const shares = [{ name: "address", subject: "192.0.2.1", credits: 10 }] as const
const asked = { amount: 10, minimumAmount: 1, source: "bot:7" } as const

/** A limiter whose returns fail while `failure` returns a failure; the return is counted first if its answer is lost. */
const failing = (failure: () => { readonly retryAfterMs?: number } | undefined) =>
  Layer.effect(
    SpendLimiter,
    Effect.map(SpendLimiter, (limiter) =>
      SpendLimiter.of({
        ...limiter,
        giveBack: (input) =>
          Effect.suspend(() => {
            const found = failure()
            if (found === undefined) return limiter.giveBack(input)
            const failed = new StorageFailed({
              ...{ operation: "SpendLimiter.giveBack", retryable: true, cause: new Error("down") },
              ...found
            })
            return found.retryAfterMs === undefined ? Effect.andThen(limiter.giveBack(input), failed) : failed
          })
      })
    )
  ).pipe(Layer.provide(InMemorySpendLimiter.layer))

it.effect("credits that an outage keeps from being given back are given back after it, beside the reply", () => {
  let isDown = true
  return Effect.gen(function* () {
    const take = yield* makeTakeShares
    const { giveBack } = yield* take(shares, asked)
    yield* giveBack(7)
    yield* TestClock.adjust("2 minutes")
    isDown = false
    assert.strictEqual((yield* Effect.flip(take(shares, asked)))._tag, "DailyCapReached")
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual((yield* take(shares, asked)).amount, 7)
  }).pipe(Effect.provide(failing(() => (isDown ? { retryAfterMs: 1_000 } : undefined))), Effect.scoped)
})

it.effect("a return whose answer is lost is not made twice, so that no share passes its cap", () =>
  Effect.gen(function* () {
    const take = yield* makeTakeShares
    const { giveBack } = yield* take(shares, asked)
    yield* giveBack(3)
    yield* TestClock.adjust("6 minutes")
    assert.strictEqual((yield* take(shares, asked)).amount, 3)
  }).pipe(Effect.provide(failing(() => ({}))), Effect.scoped)
)
