import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { periodAt } from "../../credits/rules/period.ts"
import { noResets } from "../../credits/upkeep/ResetChunk.ts"
import type { UserId } from "../../identity/UserId.ts"
import { reservation } from "./creditFixtures.ts"
import { closeAccount } from "../../credits/rules/openAndClose.ts"
import { type CreditTester, newUser, run } from "./creditTester.ts"
import { rangeOfTier, resetAll as resetEverybody } from "./resetAll.ts"

const allowances = { free: 100, pro: 5_000, business: 20_000 }
const nothing = noResets(allowances)
const newTier = () => `gone-${crypto.randomUUID().slice(0, 8)}`
const MONTH = 31 * 24 * 3_600_000

/** Tests the monthly reset. Accounts of other tests in the same ledger are reset as well. */
export const describeReset = (tester: CreditTester): void => {
  const { ledger, openUser, grant, settle, take, balance, rows, expectSound } = tester

  const resetAll = (asOf: number, dryRun = false, limit = 7) =>
    resetEverybody(ledger, { asOf, allowances, dryRun }, limit)
  const account = (userId: UserId) => run(ledger.account(userId))
  const dueAt = async (userId: UserId) => (await account(userId)).nextResetAt

  describe("reset", () => {
    it("sets the allowance again, lets the rest of the old one expire and leaves bought credits alone", async () => {
      const userId = await openUser(60)
      await run(grant(userId, "topup:1", 500))
      const before = await account(userId)
      await run(resetAll(before.nextResetAt))
      const after = await account(userId)
      expect(after).toMatchObject({ allowance: 100, topup: 500, debt: 0, anchor: before.anchor })
      expect(after).toMatchObject({
        periodStart: before.nextResetAt,
        nextResetAt: periodAt(before.anchor, before.nextResetAt).end
      })
      const [row] = await rows(userId)
      expect(row).toMatchObject({ type: "reset", amount: 40, allowanceAmount: 40, topupAmount: 0, balanceAfter: 600 })
      expect(row?.reference).toBe(`period:${userId}:${new Date(after.periodStart).toISOString()}`)
      await expectSound(userId)
    })

    it("leaves accounts alone that are not due", async () => {
      const userId = await openUser(60)
      const before = await account(userId)
      await run(resetAll(before.nextResetAt - 1))
      expect(await account(userId)).toEqual(before)
    })

    it("leaves accounts on a tier without an allowance as they are, still due, and resets the others", async () => {
      const [lost, userId] = [newUser(), await openUser(60)]
      await run(ledger.open({ userId: lost, tier: newTier(), allowance: 60 }))
      const before = await account(lost)
      const asOf = Math.max(before.nextResetAt, await dueAt(userId))
      await run(resetAll(asOf))
      expect(await account(lost)).toEqual(before)
      expect(await balance(userId)).toMatchObject({ allowance: 100 })
      const range = await run(rangeOfTier(ledger, asOf, before.tier))
      expect(await run(ledger.reset({ asOf, allowances, range, dryRun: true }))).toEqual({ tiers: nothing, busy: 1 })
      const known = { ...allowances, [before.tier]: 70 }
      await run(ledger.reset({ asOf, allowances: known, range, dryRun: false }))
      expect(await account(lost)).toMatchObject({ tier: before.tier, allowance: 70 })
      await expectSound(lost)
    })

    it("counts the accounts of tiers that are not known, now or from their next period on; not closed ones", async () => {
      const [tier, next] = [newTier(), newTier()]
      const open = () => {
        const userId = newUser()
        return Effect.as(ledger.open({ userId, tier, allowance: 1 }), userId)
      }
      const people = await run(Effect.all([open(), open(), open()]))
      const [first, second] = people
      const followed = await account(first)
      const { anchor, periodStart, nextResetAt, renewedUntil } = followed
      const terms = { tier, allowance: 1, pendingTier: next, anchor, periodStart, nextResetAt, renewedUntil }
      const plan = { userId: first, changeKey: "plan:1", periodKey: undefined }
      await run(ledger.followPlan({ ...plan, terms: { ...terms, renewedBy: "schedule" } }))
      const missing = async (...known: ReadonlyArray<string>) =>
        (await run(ledger.missingTiers(known))).filter((found) => [tier, next].includes(found.tier))
      expect(await missing("free")).toEqual(
        expect.arrayContaining([
          { tier, accounts: 3 },
          { tier: next, accounts: 1 }
        ])
      )
      expect(await missing(tier)).toEqual([{ tier: next, accounts: 1 }])
      expect(await missing(tier, next)).toEqual([])
      await run(ledger.run(closeAccount({ userId: second, key: "closed:1", lowest: tier })))
      expect(await missing(next)).toEqual([{ tier, accounts: 2 }])
    })

    it("grants a period once, also to many runs at once", async () => {
      const users = await Promise.all(Array.from({ length: 20 }, () => openUser(60)))
      const asOf = Math.max(...(await Promise.all(users.map(dueAt))))
      await run(
        Effect.all(
          Array.from({ length: 6 }, () => resetAll(asOf)),
          { concurrency: "unbounded" }
        )
      )
      await run(resetAll(asOf))
      for (const userId of users) {
        expect(await rows(userId)).toHaveLength(2)
        expect(await balance(userId)).toMatchObject({ allowance: 100 })
        await expectSound(userId)
      }
    })

    it("counts its results per tier, and a dry run counts the same and does nothing", async () => {
      const first = await openUser(60)
      const asOf = (await dueAt(first)) + 20 * MONTH
      await run(resetAll(asOf, false, 100))
      const userId = await openUser(30)
      await run(take(userId, "adjustment:1", 50))
      const indebted = await account(userId)
      const expected = { ...nothing, free: { accounts: 1, granted: 100, repaid: 20, expired: 0 } }
      expect(await run(resetAll(asOf, true))).toEqual(expected)
      expect(await account(userId)).toEqual(indebted)
      expect(await run(resetAll(asOf))).toEqual(expected)
      expect(await balance(userId)).toMatchObject({ allowance: 80, debt: 0 })
      expect((await rows(userId))[0]).toMatchObject({ amount: 100, allowanceAmount: 80, balanceAfter: 80 })
      expect(await run(resetAll(asOf))).toEqual(nothing)
      await expectSound(userId)
    })

    it("grants the running period alone, however many were missed", async () => {
      const userId = await openUser(60)
      const { anchor } = await account(userId)
      const asOf = anchor + 5 * MONTH
      await run(resetAll(asOf))
      const { start, end } = periodAt(anchor, asOf)
      expect(await account(userId)).toMatchObject({ allowance: 100, periodStart: start, nextResetAt: end })
      expect(await rows(userId)).toHaveLength(2)
    })

    it("open holds keep the credits that they set aside of the old allowance, which expire with them", async () => {
      const userId = await openUser(60)
      await run(grant(userId, "topup:1", 20))
      await run(ledger.reserve(reservation(userId, "reply:1", 70)))
      await run(resetAll(await dueAt(userId)))
      expect(await balance(userId)).toMatchObject({ allowance: 160, topup: 20, held: 70, available: 110 })
      await run(settle(userId, "reply:1", 25))
      expect(await balance(userId)).toMatchObject({ allowance: 100, topup: 20, held: 0, available: 120 })
      expect((await rows(userId))[0]).toMatchObject({ type: "reset", amount: -35, reference: "expired:reply:1" })
      await expectSound(userId)
    })

    it("is harmless beside replies that are reserved and settled at the same time", async () => {
      const users = await Promise.all(Array.from({ length: 10 }, () => openUser(60)))
      const asOf = Math.max(...(await Promise.all(users.map(dueAt))))
      const reply = (userId: UserId, key: string) =>
        Effect.andThen(ledger.reserve(reservation(userId, key, 5)), settle(userId, key, 3))
      const replies = users.flatMap((userId) =>
        Array.from({ length: 8 }, (_, index) => reply(userId, `reply:${index}`))
      )
      await run(Effect.all([...replies, resetAll(asOf), resetAll(asOf)], { concurrency: "unbounded" }))
      await run(resetAll(asOf))
      for (const userId of users) {
        expect((await rows(userId)).filter(({ reference }) => reference.startsWith("period:"))).toHaveLength(2)
        expect(await balance(userId)).toMatchObject({ held: 0, debt: 0 })
        await expectSound(userId)
      }
    })
  })
}
