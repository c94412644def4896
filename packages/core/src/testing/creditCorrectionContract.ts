import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { UserId } from "../identity/UserId.ts"
import { reservation } from "./creditFixtures.ts"
import { type CreditTester, newUser, run, tagOf } from "./creditTester.ts"

/** What taking back, giving back and correcting by hand guarantees. */
export const describeCorrections = (tester: CreditTester): void => {
  const { ledger, openUser, grant, settle, balance, expectSound } = tester
  /** 300 credits for 1,000 cents. */
  const bought = async (allowance = 50): Promise<UserId> => {
    const userId = await openUser(allowance)
    await run(grant(userId, "topup:1", 300))
    return userId
  }
  const purchase = (userId: UserId) => ({ userId, charge: "ch_1", granted: 300, paid: 1_000 })
  const refund = (userId: UserId, refunded: number) => ledger.refund({ ...purchase(userId), refunded })
  const dispute = (userId: UserId, funds: "withdrawn" | "reinstated", disputed = 1_000) =>
    ledger.dispute({ ...purchase(userId), dispute: "dp_1", disputed, funds })

  describe("refund and dispute", () => {
    it("takes back the refunded part of what was bought, rounded down, and counts what earlier refunds took", async () => {
      const userId = await bought()
      const first = await run(refund(userId, 333))
      expect(first).toMatchObject({ type: "refund", amount: -99, topupAmount: -99, reference: "refund:ch_1:333" })
      expect(await run(refund(userId, 666))).toMatchObject({ amount: -100 })
      expect(await run(refund(userId, 1_000))).toMatchObject({ amount: -101 })
      expect(await balance(userId)).toMatchObject({ allowance: 50, topup: 0, debt: 0 })
      await expectSound(userId)
    })

    it("takes no more when an earlier refund is told later, or the same one again, also at once", async () => {
      const userId = await bought()
      const all = [1_000, 400, 700, 1_000, 400].map((refunded) => refund(userId, refunded))
      await run(Effect.all(all, { concurrency: "unbounded" }))
      expect(await balance(userId)).toMatchObject({ topup: 0, allowance: 50, debt: 0 })
      const [again, first] = await run(Effect.all([refund(userId, 400), refund(userId, 400)]))
      expect(again).toEqual(first)
      await expectSound(userId)
    })

    it("takes from the top-ups, then from the free allowance, never from open holds; the rest is debt", async () => {
      const userId = await bought()
      await run(ledger.reserve(reservation(userId, "reply:1", 60)))
      await run(settle(userId, "reply:1", 60))
      await run(ledger.reserve(reservation(userId, "reply:2", 40)))
      expect(await run(refund(userId, 1_000))).toMatchObject({ amount: -300, topupAmount: -250 })
      expect(await balance(userId)).toMatchObject({ allowance: 0, topup: 40, held: 40, debt: 50, available: 0 })
      await expectSound(userId)
      await run(grant(userId, "topup:2", 70))
      expect(await balance(userId)).toMatchObject({ topup: 60, debt: 0 })
      await expectSound(userId)
    })

    it("a dispute takes what it disputes and, once won, gives exactly that back", async () => {
      const userId = await bought()
      await run(refund(userId, 500))
      expect(await run(dispute(userId, "withdrawn"))).toMatchObject({ amount: -150 })
      expect(await balance(userId)).toMatchObject({ topup: 0 })
      const won = await run(dispute(userId, "reinstated"))
      expect(won).toMatchObject({ type: "refund", amount: 150, topupAmount: 150 })
      expect(await run(dispute(userId, "reinstated"))).toEqual(won)
      expect(await run(refund(userId, 1_000))).toMatchObject({ amount: -150 })
      expect(await balance(userId)).toMatchObject({ topup: 0, debt: 0 })
      await expectSound(userId)
    })

    it("a dispute that is told to begin after it was won takes nothing", async () => {
      const userId = await bought()
      expect(await run(dispute(userId, "reinstated"))).toMatchObject({ amount: 0 })
      expect(await run(dispute(userId, "withdrawn"))).toMatchObject({ amount: 0 })
      expect(await balance(userId)).toMatchObject({ topup: 300 })
    })

    it("counts each charge for itself", async () => {
      const userId = await bought()
      await run(ledger.refund({ ...purchase(userId), charge: "ch", refunded: 100 }))
      await run(ledger.refund({ ...purchase(userId), charge: "ch_10", refunded: 100 }))
      expect(await run(refund(userId, 100))).toMatchObject({ amount: -30 })
      expect(await balance(userId)).toMatchObject({ topup: 210 })
    })

    it("refuses figures that cannot be, other figures under the same key, and people it does not know", async () => {
      const userId = await bought()
      for (const refunded of [-1, 0.5, 1_001, Number.NaN])
        expect(await tagOf(refund(userId, refunded))).toBe("InvalidAmount")
      for (const changes of [{ granted: 0 }, { granted: 1.5 }, { paid: 0 }]) {
        expect(await tagOf(ledger.refund({ ...purchase(userId), refunded: 0, ...changes }))).toBe("InvalidAmount")
      }
      await run(refund(userId, 500))
      expect(await tagOf(ledger.refund({ ...purchase(userId), granted: 299, refunded: 500 }))).toBe("KeyConflict")
      expect(await tagOf(refund(newUser(), 500))).toBe("AccountNotFound")
      expect(await balance(userId)).toMatchObject({ topup: 150 })
    })

    it("stays exact where the product of granted and refunded exceeds what a number can carry", async () => {
      const userId = await openUser(0)
      const granted = 9_007_199_254_740_881
      await run(grant(userId, "topup:1", granted))
      const paid = Number.MAX_SAFE_INTEGER
      await run(ledger.refund({ userId, charge: "ch_1", granted, paid, refunded: paid - 1 }))
      expect(await balance(userId)).toMatchObject({
        topup: granted - Number((BigInt(granted) * BigInt(paid - 1)) / BigInt(paid))
      })
    })
  })

  describe("adjust", () => {
    const adjust = (userId: UserId, key: string, amount: number, reason = "goodwill") =>
      ledger.adjust({ userId, key, amount, reason })

    it("gives to the top-ups and takes from them first, once for its key", async () => {
      const userId = await bought()
      const given = await run(adjust(userId, "case:1", 25))
      expect(given).toMatchObject({ type: "adjustment", amount: 25, topupAmount: 25, reference: "case:1" })
      expect(await run(adjust(userId, "case:1", 25))).toEqual(given)
      expect(await run(adjust(userId, "case:2", -335))).toMatchObject({
        amount: -335,
        topupAmount: -325,
        allowanceAmount: -10
      })
      expect(await balance(userId)).toMatchObject({ allowance: 40, topup: 0, debt: 0 })
      await run(adjust(userId, "case:3", -50))
      expect(await balance(userId)).toMatchObject({ allowance: 0, debt: 10 })
      await expectSound(userId)
    })

    it("refuses nothing and fractions, and the same key with another amount or reason", async () => {
      const userId = await bought()
      for (const amount of [0, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER]) {
        expect(await tagOf(adjust(userId, "case:1", amount))).toBe("InvalidAmount")
      }
      await run(adjust(userId, "case:1", 25))
      expect(await tagOf(adjust(userId, "case:1", 26))).toBe("KeyConflict")
      expect(await tagOf(adjust(userId, "case:1", 25, "a mistake"))).toBe("KeyConflict")
      expect(await tagOf(adjust(newUser(), "case:1", 25))).toBe("AccountNotFound")
    })
  })
}
