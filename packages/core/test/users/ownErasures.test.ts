import { Clock, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { noPayments } from "../../src/billing/provider/noPayments.ts"
import { paymentProviderLayer } from "../../src/billing/provider/PaymentProvider.ts"
import { Accounts } from "../../src/credits/Accounts.ts"
import { RunningReplies } from "../../src/chat/reply/RunningReplies.ts"
import { CrmRelease } from "../../src/crm/CrmRelease.ts"
import { noCrmLayer } from "../../src/crm/CrmProvider.ts"
import { SecurityEvents } from "../../src/security/SecurityEvents.ts"
import { AccessList } from "../../src/sessions/AccessList.ts"
import { SignInStore } from "../../src/signin/SignInStore.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { receiptDraft, reservation } from "../../src/testing/credits/creditFixtures.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { Catalog } from "../../src/tiers/Catalog.ts"
import { defaultCatalog } from "../../src/tiers/shippedCatalog.ts"
import { UserService } from "../../src/users/UserService.ts"

/** The people whose replies were asked to end. */
const stopped: Array<string> = []
beforeEach(() => void stopped.splice(0))
const replies = Layer.effect(
  RunningReplies,
  Effect.map(RunningReplies, (real) => ({
    ...real,
    askAllToStop: (userId: string) =>
      Effect.andThen(
        Effect.sync(() => stopped.push(userId)),
        real.askAllToStop(userId)
      )
  }))
)

const layer = Layer.merge(UserService.layer, Accounts.layer).pipe(
  Layer.provide([AccessList.layer, SecurityEvents.layer]),
  Layer.provide([paymentProviderLayer(noPayments), Layer.provide(CrmRelease.layer, noCrmLayer)]),
  Layer.provide(Layer.succeed(Catalog, defaultCatalog)),
  Layer.provide(replies),
  Layer.provideMerge(inMemoryStorageLayer),
  Layer.provideMerge(TestClock.layer())
)

const EMAIL = "ann@example.org"
const DAYS = 100

const open = Effect.fnUntraced(function* (userId: string) {
  const ledger = yield* testedLedger
  return yield* ledger.open({ userId, tier: "free", allowance: 100 })
})

/** Tries to erase the person every day, and signs in again at once after each erasure; returns the days of erasures. */
const tried = (identityOf: (erasures: number) => Effect.Effect<string, unknown, SignInStore>) =>
  Effect.gen(function* () {
    const users = yield* UserService
    const days: Array<number> = []
    for (let day = 0; day < DAYS; day += 1) {
      const userId = yield* identityOf(days.length)
      yield* open(userId)
      const outcome = yield* Effect.result(users.eraseOneself(userId))
      if (Result.isSuccess(outcome)) days.push(day)
      else expect(outcome.failure._tag).toBe("ErasureLimited")
      yield* TestClock.adjust("1 day")
    }
    return days
  }).pipe(Effect.provide(layer), Effect.runPromise)

const ALLOWANCE = 100
/** The allowances of a year without an erasure: the first one and those of the months. */
const A_YEAR = 12

/** Begins the periods that are due. */
const beginPeriods = Effect.gen(function* () {
  const upkeep = yield* testedLedger
  const asOf = yield* Clock.currentTimeMillis
  const range = yield* upkeep.due({ asOf, limit: 1_000, before: undefined })
  const allowances = { free: ALLOWANCE, pro: 0, business: 0 }
  if (range !== undefined) yield* upkeep.reset({ range, asOf, allowances, dryRun: false })
})

/** Spends all credits every day for almost a year, and tries to be erased directly after it; returns what was spent. */
const spentByErasures = (identityOf: (erasures: number) => Effect.Effect<string, unknown, SignInStore>) =>
  Effect.gen(function* () {
    const [accounts, ledger, users] = [yield* Accounts, yield* testedLedger, yield* UserService]
    let [spent, erasures] = [0, 0]
    for (let day = 0; day < 360; day += 1) {
      yield* beginPeriods
      const userId = yield* identityOf(erasures)
      const { allowance } = yield* accounts.of(userId)
      if (allowance > 0) {
        yield* ledger.adjust({ userId, key: `spent:${day}`, amount: -allowance, reason: "spent" })
        spent += allowance
        if (Result.isSuccess(yield* Effect.result(users.eraseOneself(userId)))) {
          erasures += 1
          const again = yield* identityOf(erasures)
          const { allowance: more } = yield* accounts.of(again)
          if (more > 0) yield* ledger.adjust({ userId: again, key: `more:${day}`, amount: -more, reason: "spent" })
          spent += more
        }
      }
      yield* TestClock.adjust("1 day")
    }
    return spent
  }).pipe(Effect.provide(layer), Effect.runPromise)

const byMail = (erasures: number) =>
  SignInStore.use((store) => store.enter({ email: EMAIL, newUserId: `ann-${erasures}` })).pipe(
    Effect.map(({ userId }) => userId)
  )

/** Lets seconds pass until a fiber ends. Digests are made outside the clock, so that the fiber gets real turns as well. */
const passing = Effect.fnUntraced(function* <E, R>(
  fiber: Fiber.Fiber<unknown, unknown>,
  at: (second: number) => Effect.Effect<unknown, E, R>
) {
  for (let second = 1; fiber.pollUnsafe() === undefined; second += 1) {
    for (let turn = 0; turn < 10; turn += 1) yield* Effect.promise(() => new Promise((next) => setImmediate(next)))
    yield* TestClock.adjust("1 second")
    yield* at(second)
  }
})

describe("an erasure at the person's own request", () => {
  it("happens once in 30 days, for one identity and for one mailbox, so that it gives no allowances", async () => {
    const once = [0, 30, 60, 90]
    expect(await tried(() => Effect.succeed("ann"))).toEqual(once)
    expect(await tried(byMail)).toEqual(once)
  })

  it.each([
    ["one identity", () => Effect.succeed("ann")],
    ["one mailbox", byMail]
  ] as const)(
    "gives %s no more than one allowance beside those of the months, if it follows each of them",
    async (_, by) => {
      expect(await spentByErasures(by)).toBeLessThanOrEqual((A_YEAR + 1) * ALLOWANCE)
    }
  )

  it("gives no second allowance in the days after a short month", () =>
    Effect.gen(function* () {
      const [accounts, users] = [yield* Accounts, yield* UserService]
      yield* TestClock.setTime(Date.parse("2027-01-31T12:00:00Z"))
      yield* accounts.of("ann")
      yield* users.eraseOneself("ann")
      expect(yield* accounts.of("ann")).toMatchObject({ allowance: 0 })
      yield* TestClock.setTime(Date.parse("2027-02-28T13:00:00Z"))
      yield* beginPeriods
      expect(yield* accounts.of("ann")).toMatchObject({ allowance: ALLOWANCE })
      yield* Effect.exit(users.eraseOneself("ann"))
      yield* TestClock.setTime(Date.parse("2027-03-02T13:00:00Z"))
      yield* users.eraseOneself("ann").pipe(Effect.exit)
      expect(yield* accounts.of("ann")).toMatchObject({ allowance: 0 })
    }).pipe(Effect.provide(layer), Effect.runPromise))

  it("is not limited by one that an operator requested", () =>
    Effect.gen(function* () {
      const users = yield* UserService
      for (const erase of [users.erase, users.eraseOneself, users.erase]) {
        yield* open("ann")
        expect(yield* erase("ann")).toMatchObject({ transactions: 2 })
      }
    }).pipe(Effect.provide(layer), Effect.runPromise))

  it("that is refused ends no running reply", () =>
    Effect.gen(function* () {
      const users = yield* UserService
      for (const replies of [1, 1]) {
        yield* open("ann")
        yield* Effect.exit(users.eraseOneself("ann"))
        expect(stopped).toHaveLength(replies)
      }
    }).pipe(Effect.provide(layer), Effect.runPromise))

  it("waits until work has ended that holds credits, for ten seconds, and then changes nothing", () =>
    Effect.gen(function* () {
      const users = yield* UserService
      const ledger = yield* testedLedger
      yield* open("ann")
      yield* ledger.reserve(reservation("ann", "reply:1", 30))
      const refused = yield* Effect.forkChild(Effect.result(users.eraseOneself("ann")))
      yield* passing(refused, () => Effect.void)
      expect(yield* Fiber.join(refused)).toMatchObject({ failure: { _tag: "HoldsOpen", open: 1 } })
      expect(yield* users.find("ann")).toMatchObject({ transactions: 1 })
      const waiting = yield* Effect.forkChild(users.eraseOneself("ann"))
      yield* passing(waiting, (second) =>
        second === 5 ? ledger.settle({ userId: "ann", key: "reply:1", amount: 3, draft: receiptDraft }) : Effect.void
      )
      expect(yield* Fiber.join(waiting)).toMatchObject({ transactions: 3 })
    }).pipe(Effect.provide(layer), Effect.runPromise))
})
