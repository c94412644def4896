import { assert, describe, it } from "@effect/vitest"
import { CreditLedger } from "@parley/core/adapter"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import {
  CreditService,
  inMemoryStorageLayer,
  WorkExpired,
  WorkMeter,
  Accounts,
  Catalog,
  HoldSweeper
} from "@parley/core/effect"
import { makeCatalog, type WorkReport } from "@parley/core"
import { StorageFailed } from "@parley/core/adapter"
import { Deferred, Effect, Exit, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"

/** A ledger whose calls fail while the flag is set. */
const storage = { refuses: new Set<string>() }

const away = (operation: string) => new StorageFailed({ operation, retryable: true, cause: new Error("away") })

const failingLedger = Layer.effect(
  CreditLedger,
  Effect.map(CreditLedger, (ledger) =>
    CreditLedger.of({
      ...ledger,
      renew: (input) => Effect.suspend(() => (storage.refuses.has("renew") ? away("renew") : ledger.renew(input))),
      run: (operation) =>
        Effect.suspend(() => (storage.refuses.has(operation.name) ? away(operation.name) : ledger.run(operation)))
    })
  )
)

const services = () => {
  storage.refuses.clear()
  return Layer.mergeAll(WorkMeter.layer, CreditService.layer, HoldSweeper.layer).pipe(
    Layer.provideMerge(Accounts.layer),
    Layer.provideMerge(failingLedger),
    Layer.provideMerge(Layer.mergeAll(inMemoryStorageLayer, Layer.succeed(Catalog, makeCatalog(undefined))))
  )
}

const bound = { userId: "ann", key: "order-7", amount: 25, source: "meter:images" } as const
const lines = [{ label: "image", quantity: 2, unitPrice: 4 }]
const paints = Effect.succeed({ lines, result: { url: "/image.png" } })
const balance = CreditService.use((credits) => credits.balance("ann"))
/** Opens the account before, which takes real time and not the test's. */
const meter = Effect.andThen(
  balance,
  WorkMeter.use(({ meter }) => Effect.succeed(meter))
)
const history = CreditService.use((credits) => credits.history({ userId: "ann", limit: 50, offset: 0, type: "usage" }))

describe("metered work", () => {
  it.effect("is held for before it begins, and charged what it used", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const paid = yield* run(bound, ({ held }) =>
        Effect.gen(function* () {
          assert.strictEqual(held, 25)
          assert.deepInclude(yield* balance, { available: 75, held: 25 })
          return yield* paints
        })
      )
      assert.deepEqual(paid.result, { url: "/image.png" })
      assert.isFalse(paid.replayed)
      assert.deepInclude(paid.receipt, { lines, charged: 8, held: 25, source: "meter:images", ended: "completed" })
      assert.deepInclude(yield* balance, { available: 92, held: 0 })
    }).pipe(Effect.provide(services()))
  )

  it.effect("is done and paid once for its key, and gives its first result again", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const first = yield* run(bound, () => paints)
      const again = yield* run(bound, () => Effect.die("It is done a second time."))
      assert.deepEqual(again, { ...first, replayed: true })
      assert.strictEqual((yield* history).total, 1)
      const other = yield* Effect.flip(
        run({ ...bound, amount: 26 }, () => Effect.die("It is done for another amount."))
      )
      assert.strictEqual(other._tag, "KeyConflict")
    }).pipe(Effect.provide(services()))
  )

  it.effect("that fails costs nothing, and may be tried again under its key", () =>
    Effect.gen(function* () {
      const run = yield* meter
      for (const _ of [1, 2, 3]) {
        const failure = yield* Effect.flip(
          run(bound, ({ record }) => Effect.andThen(record(lines), Effect.fail({ _tag: "NoPaint" as const })))
        )
        assert.strictEqual(failure._tag, "NoPaint")
        assert.deepInclude(yield* balance, { available: 100, held: 0 })
      }
      assert.isFalse((yield* run(bound, () => paints)).replayed)
      assert.deepInclude(yield* balance, { available: 92, held: 0 })
      assert.strictEqual((yield* history).total, 1)
    }).pipe(Effect.provide(services()))
  )

  it.effect("that is interrupted costs nothing", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        run(bound, ({ record }) =>
          record(lines).pipe(Effect.andThen(Deferred.succeed(begun, undefined)), Effect.andThen(Effect.never))
        )
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.deepInclude(yield* balance, { available: 100, held: 0 })
    }).pipe(Effect.provide(services()))
  )

  it.effect("is not begun a second time while it runs", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const failure = yield* run(bound, () =>
        Effect.map(Effect.flip(run(bound, () => Effect.die("It is done twice."))), (result) => ({
          lines,
          result: result._tag
        }))
      )
      assert.strictEqual(failure.result, "WorkInProgress")
      assert.deepInclude(yield* balance, { available: 92, held: 0 })
    }).pipe(Effect.provide(services()))
  )

  it.effect("that the balance does not pay is not begun; what is still useful is held", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const refused = yield* Effect.flip(run({ ...bound, amount: 101 }, () => Effect.die("It is done for nothing.")))
      assert.deepInclude(refused, { _tag: "InsufficientCredits", required: 101, available: 100 })
      const less = yield* run({ ...bound, amount: 500, minimumAmount: 40 }, ({ held }) =>
        Effect.succeed({ lines: [{ label: "second", quantity: held, unitPrice: 1 }] })
      )
      assert.deepInclude(less.receipt, { held: 100, charged: 100 })
    }).pipe(Effect.provide(services()))
  )

  it.effect("keeps its hold for as long as it runs", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const fiber = yield* Effect.forkChild(run(bound, () => Effect.delay(paints, "1 hour")))
      yield* TestClock.adjust("59 minutes")
      yield* HoldSweeper.use(({ sweep }) => sweep)
      assert.deepInclude(yield* balance, { held: 25 })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* Fiber.join(fiber)).receipt, { charged: 8 })
    }).pipe(Effect.provide(services()))
  )

  it.effect("whose hold a sweeper ended gets that failure, and is charged at most its recorded usage", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const ledger = yield* testedLedger
      const recorded = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        run(bound, ({ record }) =>
          record(lines).pipe(Effect.andThen(Deferred.succeed(recorded, undefined)), Effect.andThen(Effect.never))
        )
      )
      yield* Deferred.await(recorded)
      yield* TestClock.adjust("3 seconds")
      storage.refuses.add("renew")
      yield* TestClock.adjust("2 minutes")
      yield* ledger.sweep({ limit: 10 })
      storage.refuses.clear()
      yield* TestClock.adjust("4 seconds")
      const exit = yield* Fiber.await(fiber)
      assert.deepEqual(exit, Exit.fail(new WorkExpired({ key: "order-7", charged: 8 })))
      assert.deepInclude(yield* balance, { available: 92, held: 0 })
      const again = yield* run(bound, () => Effect.die("It is paid already."))
      assert.deepInclude(again, { replayed: true, result: undefined })
      assert.deepInclude(again.receipt, { ended: "expired", charged: 8 })
    }).pipe(Effect.provide(services()))
  )

  it.effect("is charged when the storage answers again, by the lines it reported", () =>
    Effect.gen(function* () {
      const run = yield* meter
      storage.refuses.add("settle")
      const fiber = yield* Effect.forkChild(run(bound, () => paints))
      yield* TestClock.adjust("90 seconds")
      assert.deepInclude(yield* balance, { held: 25 })
      storage.refuses.clear()
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude((yield* Fiber.join(fiber)).receipt, { charged: 8, ended: "completed" })
    }).pipe(Effect.provide(services()))
  )

  it.effect("that is done is paid before its caller leaves, if the storage answers in seconds", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const done = yield* Deferred.make<void>()
      storage.refuses.add("settle")
      const fiber = yield* Effect.forkChild(
        run(bound, () => Effect.tap(paints, () => Deferred.succeed(done, undefined)))
      )
      yield* Deferred.await(done)
      yield* TestClock.adjust("10 millis")
      const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.isUndefined(leaving.pollUnsafe())
      storage.refuses.clear()
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(leaving)
      assert.deepInclude(yield* balance, { available: 92, held: 0 })
      assert.deepInclude(yield* run(bound, () => Effect.die("It is paid already.")), { replayed: true })
    }).pipe(Effect.provide(services()))
  )

  it.effect("that ended, and could not be charged until a sweeper did, says what that took", () =>
    Effect.gen(function* () {
      const run = yield* meter
      const ledger = yield* testedLedger
      storage.refuses.add("settle")
      const fiber = yield* Effect.forkChild(run(bound, () => paints))
      yield* TestClock.adjust("3 seconds")
      storage.refuses.add("renew")
      yield* TestClock.adjust("2 minutes")
      storage.refuses.clear()
      yield* ledger.sweep({ limit: 10 })
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(yield* Fiber.await(fiber), Exit.fail(new WorkExpired({ key: "order-7", charged: 8 })))
      assert.deepInclude(yield* balance, { available: 92, held: 0 })
    }).pipe(Effect.provide(services()))
  )

  it.effect(
    "refuses words that make no sense before anything is held, and reports that do not with nothing charged",
    () =>
      Effect.gen(function* () {
        const run = yield* meter
        const cycle: Record<string, unknown> = {}
        cycle["self"] = cycle
        const never = () => Effect.die("It is done.")
        const wrongBounds = [
          { key: "" },
          { key: "a b" },
          { key: "a#2" },
          { key: "x".repeat(201) },
          { source: "mail" as "chat" }
        ]
        for (const wrong of wrongBounds) {
          assert.strictEqual((yield* Effect.flip(run({ ...bound, ...wrong }, never)))._tag, "InvalidWork")
        }
        for (const amount of [0, -1, 1.5, Number.NaN]) {
          assert.strictEqual((yield* Effect.flip(run({ ...bound, amount }, never)))._tag, "InvalidAmount")
        }
        const wrongReports = [
          { lines: [{ label: "", quantity: 1, unitPrice: 1 }] },
          { lines: [{ label: "a", quantity: -1, unitPrice: 1 }] },
          { lines, result: cycle },
          { lines, result: 10n },
          { lines, result: "x".repeat(16_385) },
          { lines, result: new Date(0) },
          { lines, result: { drawn: [{ at: new Date(0) }] } },
          { lines, result: new Map([["a", 1]]) },
          { lines, result: [undefined] },
          { lines, result: { cost: Number.NaN } },
          { lines, result: { draw: () => 1 } }
        ]
        for (const report of wrongReports) {
          const failure = yield* Effect.flip(run(bound, () => Effect.succeed(report as WorkReport<never>)))
          assert.strictEqual(failure._tag, "InvalidWork")
        }
        assert.deepInclude(yield* balance, { available: 100, held: 0 })
      }).pipe(Effect.provide(services()))
  )

  it.effect(
    "returns a result for a key that equals the first one, for any JSON value, and refuses values that JSON changes",
    () =>
      Effect.gen(function* () {
        const run = yield* meter
        let place = 0
        const given = Effect.fnUntraced(function* (result: unknown) {
          const work = { ...bound, userId: `person-${++place}`, key: "k", amount: 1 }
          const report: WorkReport<unknown> = { lines: [], result: result as never }
          const first = yield* Effect.result(run(work, () => Effect.succeed(report)))
          if (Result.isFailure(first)) return first.failure._tag
          const again = yield* run(work, () => Effect.die("It is done a second time."))
          assert.deepStrictEqual(again, { ...first.success, replayed: true })
          return first.success.result
        })
        const values = fc.sample(fc.jsonValue({ maxDepth: 3 }), { numRuns: 100, seed: 1 })
        for (const value of values) {
          const text = JSON.stringify(value)
          if (text.length <= 16_384) assert.deepStrictEqual(yield* given(value), JSON.parse(text))
        }
        const others = fc.anything({
          withDate: true,
          withMap: true,
          withSet: true,
          withBigInt: true,
          withNullPrototype: true
        })
        for (const value of fc.sample(others, { numRuns: 300, seed: 1 })) yield* given(value)
        assert.deepStrictEqual(yield* given({ a: 1, b: undefined }), { a: 1 })
        for (const value of [new Date(0), { at: new Date(0) }]) assert.strictEqual(yield* given(value), "InvalidWork")
      }).pipe(Effect.provide(services()))
  )

  it.effect("is metered by hand: reserved, renewed, settled once, or given up", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      const hold = yield* work.reserve(bound)
      assert.deepInclude(hold, { userId: "ann", key: "order-7", held: 25, state: "open", replayed: false })
      assert.deepInclude(yield* work.reserve(bound), { state: "open", replayed: true })
      yield* work.renew(bound, lines)
      const paid = yield* work.settle(bound, { lines, result: "done" })
      assert.deepEqual(yield* work.settle(bound, { lines, result: "other" }), paid)
      assert.deepEqual(yield* work.release(bound), paid)
      assert.deepInclude(yield* work.reserve(bound), { state: "settled", replayed: true })
      assert.strictEqual((yield* Effect.flip(work.renew(bound)))._tag, "HoldNotFound")
      yield* work.reserve({ ...bound, key: "order-8" })
      assert.deepEqual(yield* work.release({ userId: "ann", key: "order-8" }), { _tag: "Released" })
      assert.strictEqual(
        (yield* Effect.flip(work.settle({ userId: "ann", key: "none" }, { lines })))._tag,
        "HoldNotFound"
      )
      assert.strictEqual(
        (yield* Effect.flip(work.settle({ userId: "bob", key: "order-7" }, { lines })))._tag,
        "HoldNotFound"
      )
      assert.deepInclude(yield* balance, { available: 92, held: 0 })
    }).pipe(Effect.provide(services()))
  )
})
