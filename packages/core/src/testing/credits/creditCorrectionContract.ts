import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { UserId } from "../../identity/UserId.ts"
import { reservation } from "./creditFixtures.ts"
import { type CreditTester, newUser, run, tagOf } from "./creditTester.ts"

/** Tests refunds, disputes and corrections by hand. */
export const describeCorrections = (tester: CreditTester, histories: number): void => {
  const { ledger, openUser, grant, settle, balance, rows, expectSound } = tester
  const buy = (userId: UserId, key: string, amount: number, charge: string, paid: number) =>
    ledger.grant({ userId, key, type: "topup", amount, payment: { charge, paid } })
  /** Buys 300 credits for 1,000 cents. */
  const bought = async (allowance = 50): Promise<UserId> => {
    const userId = await openUser(allowance)
    await run(buy(userId, "topup:1", 300, "ch_1", 1_000))
    return userId
  }
  const purchase = (userId: UserId) => ({ userId, charge: "ch_1", granted: 300, paid: 1_000 })
  const refund = (userId: UserId, refunded: number, reportedAt = 1) =>
    ledger.refund({ ...purchase(userId), refunded, reportedAt })
  const dispute = (userId: UserId, funds: "withdrawn" | "reinstated", disputed = 1_000, reportedAt = 1) =>
    ledger.dispute({ ...purchase(userId), dispute: "dp_1", disputed, funds, reportedAt })

  describe("refund and dispute", () => {
    it("takes back the refunded part of the bought credits, rounded down, minus the credits of earlier refunds", async () => {
      const userId = await bought()
      const first = await run(refund(userId, 333))
      expect(first).toMatchObject({ type: "refund", amount: -99, topupAmount: -99, reference: "refund:ch_1:333" })
      expect(await run(refund(userId, 666))).toMatchObject({ amount: -100 })
      expect(await run(refund(userId, 1_000))).toMatchObject({ amount: -101 })
      expect(await balance(userId)).toMatchObject({ allowance: 50, topup: 0, debt: 0 })
      await expectSound(userId)
    })

    it("distinguishes charges and disputes with any characters in their ids", async () => {
      const userId = await openUser(0)
      const charges = ["a", "a:b", "a%3Ab", "a:b:withdrawn", "b:5", "'; \u{1F600} %_", "a:"]
      for (const [index, charge] of charges.entries()) await run(buy(userId, `topup:${index}`, 10, charge, 10))
      const about = (charge: string) => ({ userId, charge, granted: 10, paid: 10, reportedAt: 1 })
      const disputes = ["5", "b:5", "b", "b:withdrawn", ""]
      const all = charges.flatMap((charge) => [
        ledger.refund({ ...about(charge), refunded: 5 }),
        ...disputes.map((dispute) => ledger.dispute({ ...about(charge), dispute, disputed: 1, funds: "withdrawn" }))
      ])
      const answers = await run(Effect.all(all))
      expect(new Set(answers.map(({ reference }) => reference)).size).toBe(all.length)
      expect(await run(Effect.all(all))).toEqual(answers)
      expect(await balance(userId)).toMatchObject({ topup: 0, debt: 0 })
      await expectSound(userId)
      const [taken, bought] = await Promise.all([run(ledger.transaction(userId, "refund:a:5")), rows(userId)])
      expect(taken).toMatchObject({ charge: "a", amount: -5 })
      expect(bought.filter(({ charge, type }) => charge === "a:b" && type === "topup")).toHaveLength(1)
    })

    it("takes no more when an earlier refund is reported later, or the same one again, also at once", async () => {
      const userId = await bought()
      const all = [1_000, 400, 700, 1_000, 400].map((refunded) => refund(userId, refunded, refunded))
      await run(Effect.all(all, { concurrency: "unbounded" }))
      expect(await balance(userId)).toMatchObject({ topup: 0, allowance: 50, debt: 0 })
      const [again, first] = await run(Effect.all([refund(userId, 400, 400), refund(userId, 400, 400)]))
      expect(again).toEqual(first)
      await expectSound(userId)
    })

    it("returns credits that are refunded no more, and takes them again, as often as the cumulative refund changes", async () => {
      const userId = await bought()
      await run(refund(userId, 500, 1))
      await run(refund(userId, 1_000, 2))
      const down = await run(refund(userId, 500, 3))
      expect(down).toMatchObject({ type: "refund", amount: 150, topupAmount: 150 })
      expect(await run(refund(userId, 500, 3))).toEqual(down)
      expect(await run(refund(userId, 0, 4))).toMatchObject({ amount: 150 })
      expect(await balance(userId)).toMatchObject({ topup: 300 })
      expect(await run(refund(userId, 500, 5))).toMatchObject({ amount: -150 })
      expect(await run(refund(userId, 1_000, 2))).toMatchObject({ amount: -150 })
      expect(await balance(userId)).toMatchObject({ topup: 150, debt: 0 })
      await expectSound(userId)
    })

    it("keeps the credits that an operator took back through every later report of the provider; both count", async () => {
      const userId = await bought()
      const byOperator = (refunded: number, reportedAt: number) =>
        ledger.refund({ ...purchase(userId), refunded, reportedAt, by: "operator" })
      const taken = await run(byOperator(500, 10))
      expect(taken).toMatchObject({ type: "refund", amount: -150, reference: "refund:ch_1:by-operator:500" })
      expect(await run(refund(userId, 0, 11))).toMatchObject({ amount: 0 })
      expect(await run(refund(userId, 100, 12))).toMatchObject({ amount: -30 })
      expect(await run(refund(userId, 0, 13))).toMatchObject({ amount: 30 })
      expect(await run(refund(userId, 1_000, 14))).toMatchObject({ amount: -150 })
      expect(await run(refund(userId, 0, 15))).toMatchObject({ amount: 150 })
      expect(await run(byOperator(500, 10))).toEqual(taken)
      // Only the operator's report takes credits back.
      expect(await run(byOperator(0, 16))).toMatchObject({ amount: 150 })
      expect(await balance(userId)).toMatchObject({ topup: 300, debt: 0 })
      await expectSound(userId)
    })

    it("ends with the same balance for any order and number of reports of refunds and disputes", async () => {
      const refunds = fc.record({
        refunded: fc.constantFrom(0, 100, 333, 1_000),
        reportedAt: fc.nat(4),
        by: fc.constantFrom(undefined, "operator" as const)
      })
      const disputes = fc.record({
        disputed: fc.constantFrom(250, 600, 1_000),
        funds: fc.constantFrom("withdrawn" as const, "reinstated" as const),
        reportedAt: fc.nat(4),
        dispute: fc.constantFrom("dp_1", "dp_2")
      })
      const sequences = fc
        .array(fc.oneof(refunds, disputes), { minLength: 1, maxLength: 6 })
        .chain((report) =>
          fc.tuple(
            fc.shuffledSubarray(report, { minLength: report.length }),
            fc.shuffledSubarray(report, { minLength: report.length }),
            fc.shuffledSubarray(report)
          )
        )
      await fc.assert(
        fc.asyncProperty(sequences, async ([one, other, again]) => {
          const [ann, ben] = [await bought(), await bought()]
          const send = (userId: UserId, report: (typeof one)[number]) =>
            "refunded" in report
              ? ledger.refund({ ...purchase(userId), ...report })
              : ledger.dispute({ ...purchase(userId), ...report })
          for (const report of one) await run(send(ann, report))
          for (const report of [...other, ...again]) await run(send(ben, report))
          expect(await balance(ben)).toEqual({ ...(await balance(ann)), nextResetAt: (await balance(ben)).nextResetAt })
          await expectSound(ann)
          await expectSound(ben)
        }),
        { numRuns: histories }
      )
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

    it("a dispute takes its part and, once won, returns exactly that", async () => {
      const userId = await bought()
      await run(refund(userId, 500))
      expect(await run(dispute(userId, "withdrawn"))).toMatchObject({ amount: -150 })
      expect(await balance(userId)).toMatchObject({ topup: 0 })
      const won = await run(dispute(userId, "reinstated"))
      expect(won).toMatchObject({ type: "refund", amount: 150, topupAmount: 150 })
      expect(await run(dispute(userId, "reinstated"))).toEqual(won)
      expect(await run(refund(userId, 1_000, 2))).toMatchObject({ amount: -150 })
      expect(await balance(userId)).toMatchObject({ topup: 0, debt: 0 })
      await expectSound(userId)
    })

    it("a dispute whose amount changes takes or returns the difference, and each repeated amount has the first answer", async () => {
      const userId = await bought()
      const first = await run(dispute(userId, "withdrawn", 400, 1))
      expect(first).toMatchObject({ amount: -120 })
      const more = await run(dispute(userId, "withdrawn", 1_000, 2))
      expect(more).toMatchObject({ amount: -180 })
      expect(await run(dispute(userId, "withdrawn", 200, 3))).toMatchObject({ amount: 240 })
      expect(await run(dispute(userId, "withdrawn", 1_000, 2))).toEqual(more)
      expect(await run(dispute(userId, "withdrawn", 400, 1))).toEqual(first)
      expect(await balance(userId)).toMatchObject({ topup: 240 })
      expect(await run(dispute(userId, "reinstated", 200, 4))).toMatchObject({ amount: 60 })
      expect(await balance(userId)).toMatchObject({ topup: 300, debt: 0 })
      await expectSound(userId)
    })

    it("a dispute that is reported to begin after it was won takes nothing", async () => {
      const userId = await bought()
      expect(await run(dispute(userId, "reinstated"))).toMatchObject({ amount: 0 })
      expect(await run(dispute(userId, "withdrawn"))).toMatchObject({ amount: 0 })
      expect(await balance(userId)).toMatchObject({ topup: 300 })
    })

    it("counts each charge for itself", async () => {
      const userId = await bought()
      await run(buy(userId, "topup:2", 300, "ch", 1_000))
      await run(buy(userId, "topup:3", 300, "ch_10", 1_000))
      await run(ledger.refund({ ...purchase(userId), charge: "ch", refunded: 100, reportedAt: 1 }))
      await run(ledger.refund({ ...purchase(userId), charge: "ch_10", refunded: 100, reportedAt: 1 }))
      expect(await run(refund(userId, 100))).toMatchObject({ amount: -30 })
      expect(await balance(userId)).toMatchObject({ topup: 810 })
    })

    it("takes nothing for a charge without a reported purchase of this person, until it is reported", async () => {
      const userId = await bought()
      const other = await openUser(50)
      const unknown = ledger.refund({ ...purchase(userId), charge: "ch_2", refunded: 1_000, reportedAt: 1 })
      expect(await tagOf(unknown)).toBe("PurchaseNotFound")
      expect(await tagOf(refund(other, 1_000))).toBe("PurchaseNotFound")
      expect(await tagOf(dispute(other, "withdrawn"))).toBe("PurchaseNotFound")
      expect(await balance(other)).toMatchObject({ allowance: 50, debt: 0 })
      expect(await balance(userId)).toMatchObject({ allowance: 50, topup: 300 })
      await run(buy(userId, "topup:2", 300, "ch_2", 1_000))
      expect(await run(unknown)).toMatchObject({ amount: -300 })
      await expectSound(userId)
    })

    it("refuses a report with other figures than the purchase's, even one that was refunded before", async () => {
      const userId = await bought()
      for (const changes of [{ granted: 299 }, { granted: 600 }, { paid: 999 }, { paid: 2_000 }]) {
        const report = { ...purchase(userId), ...changes, reportedAt: 1 }
        expect(await tagOf(ledger.refund({ ...report, refunded: 500 }))).toBe("PurchaseConflict")
        const disputed = { ...report, dispute: "dp_1", disputed: 500, funds: "withdrawn" as const }
        expect(await tagOf(ledger.dispute(disputed))).toBe("PurchaseConflict")
      }
      await run(refund(userId, 500))
      expect(await tagOf(ledger.refund({ ...purchase(userId), granted: 299, refunded: 500, reportedAt: 1 }))).toBe(
        "PurchaseConflict"
      )
      expect(await balance(userId)).toMatchObject({ topup: 150 })
    })

    it("a charge pays for one purchase, and a grant is repeated with its payment only", async () => {
      const userId = await bought()
      expect(await tagOf(buy(userId, "topup:2", 300, "ch_1", 1_000))).toBe("PurchaseConflict")
      expect(await run(buy(userId, "topup:1", 300, "ch_1", 1_000))).toEqual((await rows(userId))[0])
      expect(await tagOf(buy(userId, "topup:1", 300, "ch_2", 1_000))).toBe("KeyConflict")
      for (const paid of [0, 1.5, -1])
        expect(await tagOf(buy(userId, "topup:3", 1, "ch_3", paid))).toBe("InvalidAmount")
      const twice = await run(
        Effect.all(
          ["topup:4", "topup:5"].map((key) => Effect.result(buy(userId, key, 10, "ch_4", 100))),
          { concurrency: "unbounded" }
        )
      )
      expect(twice.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
      expect(await balance(userId)).toMatchObject({ topup: 310 })
      await expectSound(userId)
    })

    it("refuses figures that cannot be, and people it does not know", async () => {
      const userId = await bought()
      for (const refunded of [-1, 0.5, 1_001, Number.NaN])
        expect(await tagOf(refund(userId, refunded))).toBe("InvalidAmount")
      for (const changes of [{ granted: 0 }, { granted: 1.5 }, { paid: 0 }, { reportedAt: -1 }, { reportedAt: 0.5 }]) {
        const report = { ...purchase(userId), refunded: 0, reportedAt: 1, ...changes }
        expect(await tagOf(ledger.refund(report))).toBe("InvalidAmount")
      }
      expect(await tagOf(refund(newUser(), 500))).toBe("AccountNotFound")
      expect(await balance(userId)).toMatchObject({ topup: 300 })
    })

    it("stays exact if the product of granted and refunded exceeds the exact range of a number", async () => {
      const userId = await openUser(0)
      const granted = 9_007_199_254_740_881
      const paid = Number.MAX_SAFE_INTEGER
      await run(buy(userId, "topup:1", granted, "ch_1", paid))
      await run(ledger.refund({ userId, charge: "ch_1", granted, paid, refunded: paid - 1, reportedAt: 1 }))
      expect(await balance(userId)).toMatchObject({
        topup: granted - Number((BigInt(granted) * BigInt(paid - 1)) / BigInt(paid))
      })
    })
  })

  describe("adjust", () => {
    const adjust = (userId: UserId, key: string, amount: number, reason = "goodwill") =>
      ledger.adjust({ userId, key, amount, reason })

    it("adds to the top-ups and takes from them first, once for its key", async () => {
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
