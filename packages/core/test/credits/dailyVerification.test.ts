import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { TaskRuns } from "../../src/background/TaskRuns.ts"
import { Accounts } from "../../src/credits/Accounts.ts"
import { CreditUpkeep } from "../../src/credits/CreditLedger.ts"
import { CreditService } from "../../src/credits/CreditService.ts"
import { DailyVerification } from "../../src/credits/upkeep/DailyVerification.ts"
import { UserId } from "../../src/identity/UserId.ts"
import { StorageFailed } from "../../src/storage/StorageFailed.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"

/** A ledger with one account whose balance differs from its rows. */
const broken = Layer.effect(
  CreditUpkeep,
  Effect.map(CreditUpkeep, (upkeep) => ({
    ...upkeep,
    verify: () =>
      Effect.succeed({
        accounts: 1,
        next: undefined,
        differences: [{ userId: UserId.make("ann"), invariant: "sum of amounts" as const, expected: 100, found: 90 }]
      })
  }))
).pipe(Layer.provideMerge(inMemoryStorageLayer))

it.effect(
  "of two processes one verifies in a day; a difference is counted, logged as an error and kept for operators",
  () => {
    const logged: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => void logged.push(line))
    return Effect.gen(function* () {
      const { verifyIfDue } = yield* DailyVerification
      const found = yield* Effect.all([verifyIfDue, verifyIfDue], { concurrency: "unbounded" })
      assert.sameMembers([...found], [1, undefined])
      const ended = yield* (yield* TaskRuns).ended
      assert.deepStrictEqual(
        ended.map(({ findings, task }) => ({ findings, task })),
        [{ findings: 1, task: "verify" }]
      )
      assert.match(logged.join("\n"), /Balances differ.*"level":"ERROR"/)
    }).pipe(
      Effect.provide(
        DailyVerification.layer.pipe(
          Layer.provide(CreditService.layer),
          Layer.provide(Accounts.layer),
          Layer.provideMerge(broken),
          Layer.provide(Layer.succeed(Catalog, makeCatalog())),
          Layer.provideMerge(Logger.layer([logger]))
        )
      )
    )
  }
)

/** The daily verification of a ledger that answers with `verify`. */
const verifying = (verify: CreditUpkeep["Service"]["verify"]) =>
  DailyVerification.layer.pipe(
    Layer.provide(CreditService.layer),
    Layer.provide(Accounts.layer),
    Layer.provide(
      Layer.effect(
        CreditUpkeep,
        Effect.map(CreditUpkeep, (upkeep) => ({ ...upkeep, verify }))
      )
    ),
    Layer.provideMerge(inMemoryStorageLayer),
    Layer.provide(Layer.succeed(Catalog, makeCatalog()))
  )

const nothingFound = Effect.succeed({ accounts: 1, next: undefined, differences: [] })

it.effect("a verification that fails is repeated after an hour, and one that ended well after a day", () => {
  let fails = true
  const answer = Effect.suspend(() =>
    fails
      ? Effect.fail(new StorageFailed({ operation: "CreditUpkeep.verify", retryable: true, cause: undefined }))
      : nothingFound
  )
  return Effect.gen(function* () {
    const { verifyIfDue } = yield* DailyVerification
    assert.strictEqual((yield* Effect.flip(verifyIfDue))._tag, "StorageFailed")
    yield* TestClock.adjust("59 minutes")
    assert.isUndefined(yield* verifyIfDue)
    fails = false
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* verifyIfDue, 0)
    yield* TestClock.adjust("23 hours")
    assert.isUndefined(yield* verifyIfDue)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* verifyIfDue, 0)
  }).pipe(Effect.provide(verifying(() => answer)))
})

it.effect(
  "a verification that runs for hours is not begun a second time; if its process dies, another repeats it",
  () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let runs = 0
      const answer = Effect.suspend(() => {
        runs += 1
        return runs > 1 ? nothingFound : Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      yield* Effect.gen(function* () {
        const { verifyIfDue } = yield* DailyVerification
        const first = yield* Effect.forkChild(verifyIfDue)
        yield* Deferred.await(begun)
        for (let hour = 1; hour <= 5; hour += 1) {
          yield* TestClock.adjust("1 hour")
          assert.isUndefined(yield* verifyIfDue)
        }
        yield* Fiber.interrupt(first)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* verifyIfDue, 0)
      }).pipe(Effect.provide(verifying(() => answer)))
    })
)
