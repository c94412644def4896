/** The results of several people's payments if their events arrive at the same time. */
import { tierOf } from "@parley/core/effect"
import { testedLedger } from "@parley/core/testing"
import {
  accountAfter,
  atTime,
  billingUnderTest,
  BillingWorld,
  deliver,
  STORY_START,
  type StoryPlan,
  storyPlans,
  worldCatalog
} from "@parley/core/testing"
import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

const DAY = 86_400_000
const PEOPLE = 6
const FREE = tierOf(worldCatalog, "free").monthlyCredits

/** Stories keep the time themselves. */
const stores = Layer.mergeAll(PgBillingStoreLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer).pipe(
  Layer.provide(Layer.succeed(LedgerClock, "caller"))
)

interface Crowd {
  readonly plans: ReadonlyArray<StoryPlan>
  /** The number of events that are delivered at the same time, in turn. */
  readonly sizes: ReadonlyArray<number>
}

const crowds: fc.Arbitrary<Crowd> = fc.record({
  plans: fc.array(storyPlans(6), { minLength: 2, maxLength: PEOPLE }),
  sizes: fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 5 })
})

/**
 * Delivers the events of all in batches, late and twice by their plans; each person ends as their own story expects.
 */
const checkCrowd = Effect.fnUntraced(function* ({ plans, sizes }: Crowd) {
  const crowd = crypto.randomUUID()
  const people = plans.map((plan, person) => {
    const name = `${crowd}-${person}`
    const world = new BillingWorld(name, STORY_START)
    for (const { act, afterHours } of plan.acts) world.act(act, afterHours * 3_600_000)
    return { name, world, plan }
  })
  const credits = yield* testedLedger
  for (const { name } of people) {
    yield* atTime(STORY_START, credits.open({ userId: `user-${name}`, tier: "free", allowance: FREE }))
  }
  const deliveries = people
    .flatMap(({ plan, world }) =>
      world.events.flatMap((event, index) => {
        const { days = 0, twice = false } = plan.delays[index % plan.delays.length] ?? {}
        const at = event.createdAt + days * DAY
        return twice
          ? [
              { at, event },
              { at, event }
            ]
          : [{ at, event }]
      })
    )
    .toSorted((a, b) => a.at - b.at)
  for (let next = 0, batch = 0; next < deliveries.length; batch += 1) {
    const size = sizes[batch % sizes.length] ?? 1
    const together = deliveries.slice(next, next + size)
    // One time for all: a state that only the clock decides, such as arrears, is decided by the last delivery.
    const now = Math.max(...together.map(({ at }) => at))
    yield* Effect.forEach(
      together,
      ({ event }) => Effect.map(atTime(now, deliver(event)), (handled) => expect(handled.id).toBe(event.id)),
      { concurrency: "unbounded", discard: true }
    )
    next += size
  }
  const end = Math.max(STORY_START, ...deliveries.map(({ at }) => at)) + DAY
  for (const { name, world } of people) {
    if (world.events.length === 0) continue
    expect(yield* accountAfter(`user-${name}`, end), name).toEqual({
      account: world.expected(STORY_START, end),
      debt: 0,
      differences: []
    })
  }
})

/** `PARLEY_TEST_SEED` and `PARLEY_TEST_PATH`, as a failing run prints them, play its crowds again. */
const { PARLEY_TEST_SEED: seed, PARLEY_TEST_PATH: path } = process.env

/** Plays random crowds on a database of each kind. */
export const crowdsOnDatabases = (runs: number): void => {
  for (const { name, layer } of databases) {
    describe(`events of many people that come at the same time: ${name}`, () => {
      const runtime = ManagedRuntime.make(billingUnderTest(stores.pipe(Layer.provide(layer))))
      afterAll(() => runtime.dispose())

      it(`end as one after another, in batches of any composition, ${runs} times`, { timeout: 3_600_000 }, () =>
        fc.assert(
          fc.asyncProperty(crowds, (crowd) => runtime.runPromise(checkCrowd(crowd))),
          {
            numRuns: runs,
            ...(seed === undefined ? {} : { seed: Number(seed) }),
            ...(path === undefined ? {} : { path })
          }
        )
      )
    })
  }
}
