import { Effect } from "effect"
import { CreditRecords } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { describe, expect, it } from "vitest"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { accountAfter, billingUnderTest, playStory, STORY_START } from "../../src/testing/billing/billingHistory.ts"
import type { BillingAct } from "../../src/testing/billing/billingBooks.ts"
import { BillingWorld } from "../../src/testing/billing/billingWorld.ts"
import { DAY, MONTH_MS, SUBSCRIBE } from "./lifecycles.ts"
import { billingInMemory } from "./stories.ts"

describe("events that never came", () => {
  it("make the same end once they are caught up with, whichever they were", async () => {
    const acts: ReadonlyArray<readonly [BillingAct, number]> = [
      [SUBSCRIBE, 1],
      [{ _tag: "buy", payment: "late" }, DAY],
      [{ _tag: "refund", nth: 0, part: 300 }, DAY]
    ]
    const told = (name: string) => {
      const world = new BillingWorld(name, STORY_START)
      for (const [act, hours] of acts) world.act(act, hours * 3_600_000)
      return world
    }
    const count = told("count").events.length
    for (let missing = 0; missing < 2 ** count; missing++) {
      const world = told(`missing-${missing}`)
      const end = world.now + MONTH_MS
      await Effect.runPromise(
        Effect.gen(function* () {
          const deliveries = world.events.flatMap(({ createdAt: at }, index) =>
            (missing >> index) % 2 === 1 ? [] : [{ index, at }]
          )
          const { userId } = yield* playStory({
            name: `missing-${missing}`,
            world,
            deliveries,
            resets: [],
            wasSeen: missing % 2 === 0,
            spends: false
          })
          const inbox = yield* PaymentInbox
          const dry = yield* inbox.catchUp({ since: 0, dryRun: true })
          const report = yield* inbox.catchUp({ since: 0, dryRun: false })
          expect(dry).toMatchObject({ listed: count, missing: report.missing })
          expect((yield* inbox.catchUp({ since: 0, dryRun: false })).missing).toBe(0)
          const { account, differences } = yield* accountAfter(userId, end)
          expect({ account, differences }).toEqual({ account: world.expected(STORY_START, end), differences: [] })
        }).pipe(
          Effect.provide(
            billingUnderTest(billingInMemory, () => world.events),
            { local: true }
          )
        )
      )
    }
  })

  it("are also those that came while the key was of the other mode: nothing is given for them until it is not", () => {
    const name = "other-mode"
    const world = new BillingWorld(name, STORY_START)
    world.act({ _tag: "buy", payment: "now" }, 60_000)
    const [event] = world.events
    if (event === undefined) return expect.unreachable("There is an event.")
    return Effect.gen(function* () {
      const inbox = yield* PaymentInbox
      const credits = yield* testedLedger
      yield* credits.open({ userId: `user-${name}`, tier: "free", allowance: 100 })
      const topup = Effect.map(
        CreditRecords.use((ledger) => ledger.account(`user-${name}`)),
        (account) => account.topup
      )
      for (let copy = 0; copy < 2; copy += 1) {
        const handled = yield* inbox.accept({ ...event, event: { _tag: "OtherMode" } })
        expect([handled.state, yield* topup]).toEqual(["refused", 0])
      }
      expect(yield* inbox.catchUp({ since: 0, dryRun: false })).toMatchObject({ missing: 1, states: { applied: 1 } })
      expect(yield* inbox.accept({ ...event, event: { _tag: "OtherMode" } })).toMatchObject({ state: "applied" })
      expect([(yield* inbox.catchUp({ since: 0, dryRun: false })).missing, yield* topup]).toEqual([0, 700])
    }).pipe(
      Effect.provide(
        billingUnderTest(billingInMemory, () => world.events),
        { local: true }
      ),
      Effect.runPromise
    )
  })
})
