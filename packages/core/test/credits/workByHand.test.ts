import { assert, describe, it } from "@effect/vitest"
import { Accounts, Catalog, CreditService, HoldSweeper, inMemoryStorageLayer, WorkMeter } from "@parley/core/effect"
import { makeCatalog, type ReceiptLine } from "@parley/core"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const services = () =>
  Layer.mergeAll(WorkMeter.layer, CreditService.layer, HoldSweeper.layer).pipe(
    Layer.provideMerge(Accounts.layer),
    Layer.provide(Layer.mergeAll(inMemoryStorageLayer, Layer.succeed(Catalog, makeCatalog(undefined))))
  )

const name = { userId: "ann", key: "order-7" } as const
const bound = { ...name, amount: 40, source: "key:shop" } as const
const pages = (quantity: number): ReadonlyArray<ReceiptLine> => [{ label: "pages", quantity, unitPrice: 1 }]
const balance = CreditService.use((credits) => credits.balance("ann"))
const used = CreditService.use((credits) => credits.history({ userId: "ann", limit: 50, offset: 0, type: "usage" }))
const adjust = (amount: number) =>
  CreditService.use((credits) => credits.adjust({ userId: "ann", amount, key: `adjust ${amount}`, reason: "a test" }))
/** A sweeper ends the holds that have expired by a time. */
const after = (time: Parameters<typeof TestClock.adjust>[0]) =>
  Effect.andThen(
    TestClock.adjust(time),
    HoldSweeper.use(({ sweep }) => sweep)
  )
const expectSound = Effect.gen(function* () {
  const credits = yield* CreditService
  const differences: Array<unknown> = []
  yield* credits.verify((found) => Effect.sync(() => void differences.push(...found)))
  assert.deepStrictEqual(differences, [])
})

it.effect("a report within the time is charged up to what is held, and the answer names what that did not cover", () =>
  Effect.gen(function* () {
    const work = yield* WorkMeter
    yield* work.reserve(bound)
    const paid = yield* work.settle(name, { lines: pages(41) })
    assert.deepInclude(paid, { _tag: "Settled", uncovered: 1 })
    assert.deepStrictEqual(yield* work.settle(name, { lines: pages(41) }), paid)
    assert.deepInclude(yield* balance, { available: 60, held: 0, debt: 0 })
    const exact = { ...name, key: "order-8" }
    yield* work.reserve({ ...bound, ...exact })
    assert.deepInclude(yield* work.settle(exact, { lines: pages(40) }), { _tag: "Settled", uncovered: 0 })
    assert.deepInclude(yield* balance, { available: 20, held: 0, debt: 0 })
    yield* expectSound
  }).pipe(Effect.provide(services()))
)

describe("a report that comes after its hold has ended", () => {
  it.effect("is charged by its lines, up to what was held, once", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve(bound)
      yield* after("2 minutes")
      assert.deepInclude(yield* balance, { available: 100, held: 0 })
      const paid = yield* work.settle(name, { lines: pages(90), result: "done" })
      assert.strictEqual(paid._tag, "Settled")
      if (paid._tag !== "Settled") return
      assert.deepInclude(paid.receipt, {
        charged: 40,
        held: 40,
        source: "key:shop",
        ended: "completed",
        result: '"done"'
      })
      assert.strictEqual(paid.uncovered, 50)
      assert.deepStrictEqual(yield* work.settle(name, { lines: pages(90) }), paid)
      assert.deepStrictEqual(yield* work.release(name), paid)
      assert.deepInclude(yield* work.reserve(bound), { state: "settled", replayed: true })
      assert.deepInclude(yield* balance, { available: 60, held: 0 })
      assert.strictEqual((yield* used).total, 1)
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("is refused while the balance does not have it, and charged when it does", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve(bound)
      yield* after("2 minutes")
      yield* adjust(-70)
      const refused = yield* Effect.flip(work.settle(name, { lines: pages(31) }))
      assert.deepInclude(refused, { _tag: "WorkExpired", key: "order-7", charged: 0, required: 31, available: 30 })
      assert.deepInclude(yield* balance, { available: 30, debt: 0 })
      yield* adjust(1)
      assert.deepInclude(yield* work.settle(name, { lines: pages(31) }), { _tag: "Settled" })
      assert.deepInclude(yield* balance, { available: 0, debt: 0 })
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("is charged what it costs beyond the lines that were charged when the hold expired", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve(bound)
      yield* work.renew(name, pages(10))
      yield* after("2 minutes")
      assert.deepInclude(yield* balance, { available: 90, held: 0 })
      assert.deepInclude(yield* Effect.flip(work.reserve(bound)), { _tag: "WorkExpired", charged: 10 })
      const paid = yield* work.settle(name, { lines: pages(25) })
      assert.strictEqual(paid._tag, "Settled")
      if (paid._tag !== "Settled") return
      assert.deepInclude(paid.receipt, { charged: 15, chargedBefore: 10, held: 15 })
      assert.strictEqual(paid.uncovered, 0)
      assert.deepInclude(yield* balance, { available: 75, held: 0 })
      assert.deepInclude(yield* work.reserve(bound), { state: "settled", replayed: true })
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("gives nothing back if it costs less than the lines that were charged, and is kept as the report", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve(bound)
      yield* work.renew(name, pages(10))
      yield* after("2 minutes")
      const paid = yield* work.settle(name, { lines: pages(4) })
      assert.strictEqual(paid._tag, "Settled")
      if (paid._tag !== "Settled") return
      assert.deepInclude(paid.receipt, { charged: 0, chargedBefore: 10 })
      assert.strictEqual(paid.uncovered, 0)
      assert.deepInclude(yield* balance, { available: 90, held: 0 })
      assert.strictEqual((yield* Effect.flip(work.settle(name, { lines: pages(5) })))._tag, "KeyConflict")
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("is bounded by the daily cap, as its hold was", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      const capped = { ...bound, dailyCap: 50 }
      yield* work.reserve(capped)
      yield* after("2 minutes")
      const other = { ...capped, key: "order-8" }
      yield* work.reserve(other)
      const late = { ...name, dailyCap: 50 }
      const refused = yield* Effect.flip(work.settle(late, { lines: pages(11) }))
      assert.deepInclude(refused, { _tag: "DailyCapReached", cap: 50, spent: 40 })
      assert.deepInclude(yield* work.settle(late, { lines: pages(10) }), { _tag: "Settled" })
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("ends the hold as usual while no sweeper has ended it", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve(bound)
      yield* TestClock.adjust("2 minutes")
      const paid = yield* work.settle(name, { lines: pages(5) })
      assert.strictEqual(paid._tag === "Settled" ? paid.receipt.charged : 0, 5)
      yield* after("1 minute")
      assert.deepInclude(yield* balance, { available: 95, held: 0 })
      assert.strictEqual((yield* used).total, 1)
    }).pipe(Effect.provide(services()))
  )
})

describe("a key of work", () => {
  it.effect("is reported once: a report with other lines is refused, and nothing moves", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve(bound)
      const paid = yield* work.settle(name, { lines: pages(5) })
      for (const lines of [[], pages(6), [...pages(5), ...pages(0)], [{ label: "page", quantity: 5, unitPrice: 1 }]]) {
        const refused = yield* Effect.flip(work.settle(name, { lines }))
        assert.deepInclude(refused, { _tag: "KeyConflict", key: "order-7" })
      }
      assert.deepStrictEqual(yield* work.settle(name, { lines: pages(5) }), paid)
      assert.deepInclude(yield* balance, { available: 95, held: 0 })
    }).pipe(Effect.provide(services()))
  )

  it.effect("begins another attempt after a hold that was released, or expired uncharged", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      const open = { state: "open", replayed: false, held: 40 } as const
      assert.deepInclude(yield* work.reserve(bound), open)
      yield* work.release(name)
      assert.deepInclude(yield* work.reserve(bound), open)
      yield* after("2 minutes")
      assert.deepInclude(yield* work.reserve(bound), open)
      assert.deepInclude(yield* work.reserve(bound), { ...open, replayed: true })
      assert.strictEqual((yield* Effect.flip(work.reserve({ ...bound, amount: 41 })))._tag, "KeyConflict")
      yield* work.renew(name, pages(1))
      // The report of an earlier attempt pays the one that is open: a key is paid once.
      yield* work.settle(name, { lines: pages(5) })
      assert.strictEqual((yield* Effect.flip(work.settle(name, { lines: pages(6) })))._tag, "KeyConflict")
      assert.deepInclude(yield* balance, { available: 95, held: 0 })
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("begins another attempt after a hold that has expired while no sweeper has ended it", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve(bound)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* Effect.flip(work.reserve({ ...bound, amount: 41 })))._tag, "KeyConflict")
      const again = yield* work.reserve(bound)
      assert.deepInclude(again, { state: "open", replayed: false, held: 40, expiresAt: 3 * 60_000 })
      assert.deepInclude(yield* balance, { available: 60, held: 40 })
      yield* work.renew(name, pages(10))
      yield* TestClock.adjust("2 minutes")
      assert.deepInclude(yield* Effect.flip(work.reserve(bound)), { _tag: "WorkExpired", charged: 10 })
      assert.deepInclude(yield* balance, { available: 90, held: 0 })
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("is not charged for a report after it was released, also if the hold had expired before", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      const released = { _tag: "Released" } as const
      for (const [key, wait] of [
        ["in time", Effect.void],
        ["expired", TestClock.adjust("2 minutes")],
        ["swept", after("2 minutes")]
      ] as const) {
        const own = { ...name, key: key.replace(" ", "-") }
        yield* work.reserve({ ...bound, ...own })
        yield* wait
        assert.deepStrictEqual(yield* work.release(own), released, key)
        assert.deepStrictEqual(yield* work.release(own), released, key)
        assert.deepStrictEqual(yield* work.settle(own, { lines: pages(5) }), released, key)
        assert.deepInclude(yield* work.reserve({ ...bound, ...own }), { state: "open", replayed: false }, key)
        yield* work.release(own)
      }
      assert.deepInclude(yield* balance, { available: 100, held: 0 })
      yield* expectSound
    }).pipe(Effect.provide(services()))
  )

  it.effect("is tried a hundred times at most", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      for (let attempt = 1; attempt <= 100; attempt += 1) {
        yield* work.reserve(bound)
        yield* work.release(name)
      }
      const refused = yield* Effect.flip(work.reserve(bound))
      assert.deepInclude(refused, { _tag: "InvalidWork", reason: "it was tried 100 times; give it another key" })
      assert.deepStrictEqual(yield* work.settle(name, { lines: pages(5) }), { _tag: "Released" })
    }).pipe(Effect.provide(services()))
  )
})

describe("the lifetime of a hold", () => {
  it.effect("is what was asked for, up to a day, and from now on what a renewal asks for", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      const hold = yield* work.reserve({ ...bound, lifetimeSeconds: 86_400 })
      assert.strictEqual(hold.expiresAt, 86_400_000)
      yield* after("23 hours")
      assert.deepInclude(yield* balance, { held: 40 })
      yield* work.renew({ ...name, lifetimeSeconds: 7_200 })
      yield* after("119 minutes")
      assert.deepInclude(yield* balance, { held: 40 })
      yield* after("1 minute")
      assert.deepInclude(yield* balance, { held: 0, available: 100 })
      assert.strictEqual((yield* Effect.flip(work.renew(name)))._tag, "HoldNotFound")
      // The same key with another lifetime is another request.
      assert.strictEqual((yield* Effect.flip(work.reserve(bound)))._tag, "KeyConflict")
    }).pipe(Effect.provide(services()))
  )

  it.effect("is a whole number of seconds from 1 to 86,400", () =>
    Effect.gen(function* () {
      const work = yield* WorkMeter
      yield* work.reserve({ ...bound, key: "open" })
      for (const lifetimeSeconds of [0, -1, 1.5, 86_401, Number.NaN, Infinity]) {
        assert.strictEqual((yield* Effect.flip(work.reserve({ ...bound, lifetimeSeconds })))._tag, "InvalidWork")
        assert.strictEqual(
          (yield* Effect.flip(work.renew({ ...name, key: "open", lifetimeSeconds })))._tag,
          "InvalidWork"
        )
      }
      assert.deepInclude(yield* balance, { held: 40 })
    }).pipe(Effect.provide(services()))
  )
})
