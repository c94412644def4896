import { assert, describe, it } from "@effect/vitest"
import { CreditRecords } from "@parley/core/adapter"
import { ChatService } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { ModelFailed } from "@parley/core/adapter"
import { Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { RateLimiter } from "../../src/limits/RateLimiter.ts"
import { StorageFailed } from "../../src/storage/StorageFailed.ts"
import { ask, balance, says, scriptedModel, world } from "./world.ts"

const request = { messages: [{ role: "user", content: "Hi" }] }
const send = (userId: string) => ChatService.use((chat) => chat.send({ userId, request }))

/** A model that never answers, and reports its requests. */
const silent = () => {
  const asked: Array<Deferred.Deferred<void>> = []
  const model = scriptedModel(() =>
    Stream.unwrap(
      Effect.gen(function* () {
        for (const one of asked.splice(0)) yield* Deferred.succeed(one, undefined)
        return Stream.never
      })
    )
  )
  /** Asks, and leaves as soon as the model was asked. */
  const abandon = Effect.fnUntraced(function* (userId: string) {
    const spoken = yield* Deferred.make<void>()
    asked.push(spoken)
    const trying = yield* Effect.forkChild(Effect.scoped(send(userId)))
    const answered = yield* Effect.race(Effect.as(Deferred.await(spoken), undefined), Fiber.await(trying))
    yield* Fiber.interrupt(trying)
    return answered
  })
  return { model, abandon }
}

const refusal = <E extends object>(failed: Effect.Effect<unknown, E, Scope.Scope | ChatService>) =>
  Effect.map(Effect.flip(Effect.scoped(failed)), (error): object => ({ ...error }))

describe("replies left before their first word", () => {
  it.effect("are bounded: 20 a minute for an account, then refused with the time to wait; others are not", () => {
    const { model, abandon } = silent()
    return Effect.gen(function* () {
      for (let attempt = 0; attempt < 20; attempt += 1) assert.isUndefined(yield* abandon("ann"))
      yield* TestClock.adjust("10 seconds")
      const refused = yield* refusal(send("ann"))
      assert.deepInclude(refused, { _tag: "TooManyAbandonedTries", perMinute: 20, retryAfterMs: 50_000 })
      assert.isUndefined(yield* abandon("ben"))
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 100 })
      yield* TestClock.adjust("50 seconds")
      model.parts = () => says(["Hello"])
      assert.strictEqual((yield* ask("ann", "Hi")).text, "Hello")
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("are as many as the tier says", () => {
    const { model, abandon } = silent()
    return Effect.gen(function* () {
      for (let attempt = 0; attempt < 2; attempt += 1) assert.isUndefined(yield* abandon("ann"))
      assert.deepInclude(yield* refusal(send("ann")), { _tag: "TooManyAbandonedTries", perMinute: 2 })
    }).pipe(Effect.provide(world(model, { tiers: { free: { abandonedTriesPerMinute: 2 } } })))
  })

  it.effect(
    "are counted if the first words came and no reader took them, and not if a model failed or wrote more",
    () => {
      const model = scriptedModel(() => says(["Hello"]))
      const failed = new ModelFailed({ model: "model-a-mini", reason: "unavailable", retryable: false })
      return Effect.gen(function* () {
        for (let reply = 0; reply < 3; reply += 1) yield* ask("ann", "Hi")
        model.parts = () => Stream.fail(failed)
        for (let reply = 0; reply < 3; reply += 1) yield* refusal(send("ann"))
        model.parts = () => says(["Hello"])
        for (let reply = 0; reply < 2; reply += 1) yield* Effect.scoped(send("ann"))
        assert.deepInclude(yield* refusal(send("ann")), { _tag: "TooManyAbandonedTries" })
      }).pipe(Effect.provide(world(model, { tiers: { free: { abandonedTriesPerMinute: 2 } } })))
    }
  )

  it.effect("count for all servers: who left them elsewhere is refused here after the next one", () => {
    const { model, abandon } = silent()
    const shared = Layer.succeed(
      RateLimiter,
      RateLimiter.of({
        count: () => Effect.succeed({ count: 20, remainingMs: 30_000 }),
        peek: (events) => Effect.succeed(events.map(() => ({ count: 20, remainingMs: 30_000 })))
      })
    )
    return Effect.gen(function* () {
      assert.isUndefined(yield* abandon("ann"))
      assert.deepInclude(yield* refusal(send("ann")), { _tag: "TooManyAbandonedTries", retryAfterMs: 30_000 })
    }).pipe(Effect.provide(world(model, {}, shared)))
  })

  it.effect("are bounded on this server also while they cannot be counted for all", () => {
    const { model, abandon } = silent()
    const down = Effect.fail(new StorageFailed({ operation: "RateLimiter.count", retryable: true, cause: "down" }))
    const broken = Layer.succeed(RateLimiter, RateLimiter.of({ count: () => down, peek: () => down }))
    return Effect.gen(function* () {
      for (let attempt = 0; attempt < 20; attempt += 1) assert.isUndefined(yield* abandon("ann"))
      assert.deepInclude(yield* refusal(send("ann")), { _tag: "TooManyAbandonedTries" })
    }).pipe(Effect.provide(world(model, {}, broken)))
  })
})

describe("replies of one account at once", () => {
  it.effect("are bounded where the tier says so: one more is refused, holding nothing, until one has ended", () => {
    const model = scriptedModel(() => says(["Hello"]))
    return Effect.gen(function* () {
      const first = yield* Scope.make()
      yield* Scope.provide(send("ann"), first)
      const second = yield* Scope.make()
      yield* Scope.provide(send("ann"), second)
      const { held } = yield* balance("ann")
      assert.deepInclude(yield* refusal(send("ann")), { _tag: "TooManyReplies", tier: "free", limit: 2 })
      assert.deepInclude(yield* balance("ann"), { held })
      yield* Scope.close(first, Exit.void)
      assert.strictEqual((yield* ask("ann", "Hi")).text, "Hello")
      yield* Scope.close(second, Exit.void)
    }).pipe(Effect.provide(world(model, { tiers: { free: { maxConcurrentReplies: 2 } } })))
  })

  it.effect("have no bound unless the tier has one", () => {
    assert.isUndefined(makeCatalog().tiers[0].maxConcurrentReplies)
    const model = scriptedModel(() => says(["Hello"]))
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      for (let reply = 0; reply < 30; reply += 1) yield* Scope.provide(send("ann"), scope)
      assert.isAbove((yield* CreditRecords.use((ledger) => ledger.account("ann"))).heldAllowance, 29)
      yield* Scope.close(scope, Exit.void)
    }).pipe(Effect.provide(world(model, { tiers: { free: { monthlyCredits: 100_000 } } })))
  })
})
