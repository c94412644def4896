import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { periodKey } from "../../credits/rules/resetPeriod.ts"
import type { FollowPlanInput, PlanTerms } from "../../credits/rules/followPlan.ts"
import { periodStart } from "../../credits/rules/period.ts"
import type { UserId } from "../../identity/UserId.ts"
import { reservation } from "./creditFixtures.ts"
import { type CreditTester, run, tagOf } from "./creditTester.ts"
import { resetAll as resetEverybody } from "./resetAll.ts"

const allowances = { free: 100, pro: 5_000, business: 20_000 }

/** Tests the effects of following a plan on credits. */
export const describePlans = ({ ledger, openUser, rows, expectSound }: CreditTester): void => {
  const account = (userId: UserId) => run(ledger.account(userId))
  const follow = (input: FollowPlanInput) => Effect.map(ledger.followPlan(input), ({ transaction }) => transaction)
  const monthOf = (anchor: number, month: number, changes: Partial<PlanTerms> = {}): PlanTerms => ({
    tier: "pro",
    allowance: 5_000,
    pendingTier: undefined,
    anchor,
    periodStart: periodStart(anchor, month),
    nextResetAt: periodStart(anchor, month + 1),
    renewedBy: "invoice",
    renewedUntil: undefined,
    ...changes
  })

  describe("followPlan", () => {
    it("begins a period once for its key, and corrects its dates by later reports", async () => {
      const userId = await openUser(60)
      const { anchor } = await account(userId)
      const first = { userId, periodKey: "first:sub_1" }
      const guessed = monthOf(anchor + 5_000, 0)
      expect(await run(follow({ ...first, terms: guessed, changeKey: "plan:1" }))).toMatchObject({
        type: "reset",
        amount: 4_940,
        reference: "first:sub_1"
      })
      const told = monthOf(anchor + 2_000, 0)
      expect(await run(follow({ ...first, terms: told, changeKey: "plan:2" }))).toMatchObject({
        amount: 0,
        reference: "plan:2"
      })
      expect(await run(follow({ ...first, terms: told, changeKey: "plan:3" }))).toBeUndefined()
      expect(await account(userId)).toMatchObject({ ...told, allowance: 5_000, periodCredits: 5_000 })
      expect(await rows(userId)).toHaveLength(3)
      await expectSound(userId)
    })

    it("grants for the most expensive plan of a period, and takes the excess over the plan that another leaves", async () => {
      const userId = await openUser(60)
      const { anchor } = await account(userId)
      const first = { userId, periodKey: "first:sub_1" }
      await run(follow({ ...first, terms: monthOf(anchor, 0), changeKey: "plan:1" }))
      const raised = monthOf(anchor, 0, { tier: "business", allowance: 20_000 })
      expect(await run(follow({ ...first, terms: raised, changeKey: "plan:2" }))).toMatchObject({ amount: 15_000 })
      expect(await run(follow({ ...first, terms: raised, changeKey: "plan:2" }))).toMatchObject({ amount: 15_000 })
      const free = monthOf(anchor + 9, 0, { tier: "free", allowance: 100, renewedBy: "schedule" })
      const ended = { userId, terms: free, periodKey: undefined, changeKey: "plan:3" }
      expect(await run(follow(ended))).toMatchObject({ type: "reset", amount: -19_900 })
      expect(await account(userId)).toMatchObject({ tier: "free", allowance: 100, renewedBy: "schedule" })
      expect(await tagOf(follow({ ...ended, changeKey: "first:sub_1" }))).toBe("KeyConflict")
      await expectSound(userId)
    })

    it("an end leaves the credits of open holds, and grants nothing if less is left", async () => {
      const userId = await openUser(60)
      const { anchor } = await account(userId)
      await run(follow({ userId, terms: monthOf(anchor, 0), periodKey: "first:sub_1", changeKey: "plan:1" }))
      await run(ledger.reserve(reservation(userId, "reply:1", 4_990)))
      const free = monthOf(anchor + 9, 0, { tier: "free", allowance: 100, renewedBy: "schedule" })
      await run(follow({ userId, terms: free, periodKey: undefined, changeKey: "plan:2" }))
      expect(await account(userId)).toMatchObject({ allowance: 5_000, heldAllowance: 4_990, tier: "free" })
      await run(ledger.release({ userId, key: "reply:1" }))
      expect(await account(userId)).toMatchObject({ allowance: 10, heldAllowance: 0 })
      await expectSound(userId)
    })

    it("a period that another one replaced continues with its rest, and grants nothing again", async () => {
      const userId = await openUser(60)
      const { anchor } = await account(userId)
      const small = { userId, periodKey: "first:sub_1", terms: monthOf(anchor, 0) }
      const large = {
        userId,
        periodKey: "first:sub_2",
        terms: monthOf(anchor + 9, 0, { tier: "business", allowance: 20_000 })
      }
      await run(follow({ ...small, changeKey: "plan:1" }))
      await run(ledger.adjust({ userId, key: "spent:1", amount: -1_000, reason: "a test" }))
      const left = await run(ledger.followPlan({ ...large, changeKey: "plan:2" }))
      expect(left.left).toEqual({ left: 4_000, given: 5_000, periodStart: anchor })
      await run(ledger.adjust({ userId, key: "spent:2", amount: -19_000, reason: "a test" }))
      const back = await run(ledger.followPlan({ ...small, resumes: left.left, changeKey: "plan:3" }))
      expect([back.transaction?.amount, back.left]).toEqual([
        3_000,
        { left: 1_000, given: 20_000, periodStart: anchor + 9 }
      ])
      expect(await account(userId)).toMatchObject({ tier: "pro", allowance: 4_000, periodCredits: 5_000 })
      const again = await run(ledger.followPlan({ ...large, resumes: back.left, changeKey: "plan:4" }))
      expect(again.transaction?.amount).toBe(-3_000)
      expect(await account(userId)).toMatchObject({ tier: "business", allowance: 1_000, periodCredits: 20_000 })
      // A more expensive plan of a period that returns grants its excess over that period's earlier grant.
      const raised = { ...small, terms: monthOf(anchor, 0, { tier: "business", allowance: 20_000 }) }
      await run(follow({ ...raised, resumes: left.left, changeKey: "plan:5" }))
      expect(await account(userId)).toMatchObject({ allowance: 19_000, periodCredits: 20_000 })
      await expectSound(userId)
    })

    it("the monthly job begins the months of a paid year, shares their keys, and begins none after it", async () => {
      const userId = await openUser(60)
      const { anchor } = await account(userId)
      const year = periodStart(anchor, 12)
      const annual = (month: number) => monthOf(anchor, month, { renewedBy: "schedule", renewedUntil: year })
      await run(follow({ userId, terms: annual(0), periodKey: "first:sub_1", changeKey: "plan:1" }))
      await run(resetEverybody(ledger, { asOf: periodStart(anchor, 3), allowances }))
      expect(await account(userId)).toMatchObject({ periodStart: periodStart(anchor, 3), allowance: 5_000 })
      const before = await rows(userId)
      const shared = periodKey(userId, periodStart(anchor, 3))
      expect(await run(follow({ userId, terms: annual(3), periodKey: shared, changeKey: "plan:2" }))).toBeUndefined()
      expect(await rows(userId)).toEqual(before)
      await run(resetEverybody(ledger, { asOf: periodStart(anchor, 14), allowances }))
      const last = { periodStart: periodStart(anchor, 11), nextResetAt: year, tier: "pro" }
      expect(await account(userId)).toMatchObject(last)
      await run(resetEverybody(ledger, { asOf: periodStart(anchor, 15), allowances }))
      expect(await account(userId)).toMatchObject(last)
      await expectSound(userId)
    })

    it("refuses amounts that are not whole, and people it does not know", async () => {
      const userId = await openUser(60)
      const input = { userId, terms: monthOf(1, 0), periodKey: "first:sub_1", changeKey: "plan:1" }
      for (const allowance of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
        expect(await tagOf(follow({ ...input, terms: { ...input.terms, allowance } }))).toBe("InvalidAmount")
      }
      expect(await tagOf(follow({ ...input, userId: "nobody" }))).toBe("AccountNotFound")
    })
  })
}
