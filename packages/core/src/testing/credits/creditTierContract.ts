import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { periodAt, periodStart } from "../../credits/rules/period.ts"
import type { TierChange } from "../../credits/rules/tierChange.ts"
import type { UserId } from "../../identity/UserId.ts"
import { reservation } from "./creditFixtures.ts"
import { type CreditTester, newUser, run, tagOf } from "./creditTester.ts"
import { resetAll as resetEverybody } from "./resetAll.ts"

const allowances = { free: 100, pro: 5_000, business: 20_000 }

/** Tests the effects of a change of plan on credits. */
export const describeTierChanges = (tester: CreditTester): void => {
  const { ledger, openUser, grant, settle, take, balance, rows, expectSound } = tester
  const change = (userId: UserId, made: TierChange) => ledger.changeTier(userId, made)
  const account = (userId: UserId) => run(ledger.account(userId))
  const subscribed = (start: number, changes: object = {}): TierChange => ({
    _tag: "Subscribed",
    key: "first:sub_1",
    tier: "pro",
    allowance: 5_000,
    start,
    renewedBy: "invoice",
    ...changes
  })
  /** An account with 60 free credits and 20 bought ones, subscribed from now on. */
  const subscriber = async (changes: object = {}) => {
    const userId = await openUser(60)
    await run(grant(userId, "topup:1", 20))
    const start = (await account(userId)).anchor + 1
    await run(change(userId, subscribed(start, changes)))
    return { userId, start }
  }
  const resetAll = (asOf: number) => resetEverybody(ledger, { asOf, allowances })

  describe("changeTier", () => {
    it("a new subscription sets the allowance to the plan and begins its own periods; bought credits stay", async () => {
      const { userId, start } = await subscriber()
      const { end } = periodAt(start, start)
      expect(await account(userId)).toMatchObject({ tier: "pro", allowance: 5_000, topup: 20, anchor: start })
      expect(await account(userId)).toMatchObject({ periodStart: start, nextResetAt: end, renewedBy: "invoice" })
      expect((await rows(userId))[0]).toMatchObject({ type: "reset", amount: 4_940, reference: "first:sub_1" })
      await expectSound(userId)
    })

    it("a subscription's checkout and its first invoice grant once, in any order and at once", async () => {
      const { userId, start } = await subscriber()
      const again = Array.from({ length: 8 }, (_, index) => change(userId, subscribed(start + index)))
      const answers = await run(Effect.all(again, { concurrency: "unbounded" }))
      expect(answers).toEqual(answers.map(() => answers[0]))
      expect(await balance(userId)).toMatchObject({ allowance: 5_000 })
      expect(await tagOf(change(userId, subscribed(start, { tier: "business" })))).toBe("KeyConflict")
    })

    it("a paid invoice begins the next period once, and one that comes late begins none", async () => {
      const { userId, start } = await subscriber()
      await run(ledger.reserve(reservation(userId, "reply:1", 1_000)))
      await run(settle(userId, "reply:1", 1_000))
      const renewed = (number: number): TierChange => {
        const [from, to] = [periodStart(start, number), periodStart(start, number + 1)]
        return { _tag: "Renewed", tier: "pro", allowance: 5_000, start: from, end: to }
      }
      const second = await run(change(userId, renewed(2)))
      expect(second).toMatchObject({ type: "reset", amount: 1_000 })
      expect(second.reference).toBe(`period:${userId}:${new Date(periodStart(start, 2)).toISOString()}`)
      expect(await run(change(userId, renewed(1)))).toMatchObject({ amount: 0 })
      expect(await run(change(userId, renewed(2)))).toEqual(second)
      expect(await account(userId)).toMatchObject({ allowance: 5_000, periodStart: periodStart(start, 2) })
      await expectSound(userId)
    })

    it("the monthly job leaves to invoices the accounts that they renew, and renews the others, each period once", async () => {
      const byInvoice = await subscriber()
      const bySchedule = await subscriber({ renewedBy: "schedule" })
      const next = periodStart(bySchedule.start, 1)
      await run(resetAll(next + 1_000))
      expect(await account(byInvoice.userId)).toMatchObject({ periodStart: byInvoice.start })
      expect(await account(bySchedule.userId)).toMatchObject({ periodStart: next, allowance: 5_000 })
      const end = periodStart(bySchedule.start, 2)
      const before = await rows(bySchedule.userId)
      await run(change(bySchedule.userId, { _tag: "Renewed", tier: "pro", allowance: 5_000, start: next, end }))
      expect(await rows(bySchedule.userId)).toEqual(before)
    })

    it("the monthly job grants nothing for a period that its invoice granted already, and moves on", async () => {
      const { userId, start } = await subscriber({ renewedBy: "schedule" })
      const [from, end] = [periodStart(start, 2), periodStart(start, 3)]
      await run(change(userId, { _tag: "Renewed", tier: "pro", allowance: 5_000, start: from, end }))
      await run(change(userId, subscribed(start, { key: "first:sub_2", allowance: 700, renewedBy: "schedule" })))
      const before = await rows(userId)
      await run(resetAll(from))
      expect(await account(userId)).toMatchObject({ allowance: 700, periodStart: from, nextResetAt: end })
      const [moved, ...rest] = await rows(userId)
      expect(moved).toMatchObject({ type: "reset", amount: 0, allowanceAmount: 0, balanceAfter: 720 })
      expect(moved?.reference).toMatch(/^moved:period:/)
      expect(rest).toEqual(before)
      await expectSound(userId)
    })

    it("a more expensive plan grants the difference once, a cheaper one waits for the next period", async () => {
      const { userId, start } = await subscriber({ renewedBy: "schedule" })
      const raise: TierChange = {
        _tag: "Raised",
        lowest: "free",
        key: "plan:evt_1",
        tier: "business",
        allowance: 20_000
      }
      await run(change(userId, raise))
      await run(change(userId, raise))
      expect(await account(userId)).toMatchObject({ tier: "business", allowance: 20_000, periodStart: start })
      await run(change(userId, { _tag: "Lowered", lowest: "free", key: "plan:evt_2", tier: "pro" }))
      expect(await account(userId)).toMatchObject({ tier: "business", pendingTier: "pro", allowance: 20_000 })
      await run(resetAll(periodStart(start, 1)))
      expect(await account(userId)).toMatchObject({ tier: "pro", pendingTier: undefined, allowance: 5_000 })
      await expectSound(userId)
    })

    it("a plan raised and lowered repeatedly within a period grants the credits of its most expensive plan, once", async () => {
      const { userId, start } = await subscriber({ renewedBy: "schedule" })
      for (const round of [1, 2, 3, 4]) {
        await run(
          change(userId, { _tag: "Raised", lowest: "free", key: `up:${round}`, tier: "business", allowance: 20_000 })
        )
        await run(change(userId, { _tag: "Lowered", lowest: "free", key: `down:${round}`, tier: "pro" }))
      }
      expect(await account(userId)).toMatchObject({ allowance: 20_000, periodCredits: 20_000, pendingTier: "pro" })
      await run(resetAll(periodStart(start, 1)))
      expect(await account(userId)).toMatchObject({ tier: "pro", allowance: 5_000, periodCredits: 5_000 })
      await run(change(userId, { _tag: "Raised", lowest: "free", key: "up:5", tier: "business", allowance: 20_000 }))
      expect(await account(userId)).toMatchObject({ allowance: 20_000 })
      await expectSound(userId)
    })

    it("a change of plan is refused without a subscription, and done once there is one", async () => {
      const userId = await openUser(60)
      const raise: TierChange = { _tag: "Raised", lowest: "free", key: "up:1", tier: "business", allowance: 20_000 }
      const lower: TierChange = { _tag: "Lowered", lowest: "free", key: "down:1", tier: "pro" }
      for (const made of [raise, lower]) expect(await tagOf(change(userId, made))).toBe("SubscriptionNotFound")
      expect(await account(userId)).toMatchObject({ tier: "free", pendingTier: undefined, allowance: 60 })
      await run(change(userId, subscribed((await account(userId)).anchor)))
      await run(change(userId, raise))
      expect(await account(userId)).toMatchObject({ tier: "business", allowance: 20_000 })
    })

    it("the end of a subscription leaves at most a free allowance, and begins free periods", async () => {
      const { userId } = await subscriber()
      await run(ledger.reserve(reservation(userId, "reply:1", 500)))
      await run(change(userId, { _tag: "Ended", lowest: "free", key: "ended:sub_1", allowance: 100 }))
      const free = await account(userId)
      expect(free).toMatchObject({ tier: "free", allowance: 600, heldAllowance: 500, topup: 20, renewedBy: "schedule" })
      expect(free.periodStart).toBe(free.anchor)
      await run(settle(userId, "reply:1", 200))
      expect(await account(userId)).toMatchObject({ allowance: 100, heldAllowance: 0, topup: 20, debt: 0 })
      await expectSound(userId)
    })

    it("an end grants no missing credits, and an unpaid invoice neither grants nor takes", async () => {
      const { userId } = await subscriber()
      await run(ledger.reserve(reservation(userId, "reply:1", 4_990)))
      await run(settle(userId, "reply:1", 4_990))
      await run(change(userId, { _tag: "PastDue", key: "past-due:in_1" }))
      expect(await account(userId)).toMatchObject({ tier: "pro", allowance: 10, renewedBy: "invoice" })
      await run(change(userId, { _tag: "Ended", lowest: "free", key: "ended:sub_1", allowance: 100 }))
      expect(await account(userId)).toMatchObject({ tier: "free", allowance: 10 })
      await expectSound(userId)
    })

    it("a new plan repays debt first", async () => {
      const userId = await openUser(10)
      await run(take(userId, "adjustment:1", 110))
      await run(change(userId, subscribed((await account(userId)).anchor)))
      expect(await balance(userId)).toMatchObject({ allowance: 4_900, debt: 0 })
      await expectSound(userId)
    })

    it("refuses amounts that are not whole, and people it does not know", async () => {
      const { userId, start } = await subscriber()
      for (const allowance of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER]) {
        expect(await tagOf(change(userId, subscribed(start, { key: "first:sub_2", allowance })))).toBe("InvalidAmount")
      }
      expect(await tagOf(change(newUser(), subscribed(start)))).toBe("AccountNotFound")
    })
  })
}
