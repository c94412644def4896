import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { NOTHING_PAID } from "../../credits/rules/decideReply.ts"
import { receiptDraft, reservation } from "./creditFixtures.ts"
import { type CreditTester, run } from "./creditTester.ts"

/** The lifetime of holds that must not expire; other holds in these tests expire at once, so that no test waits. */
const LONG = 3_600_000

/** Tests the renewal and the sweeping of holds. Other expired holds in the same ledger are swept as well. */
export const describeRenewal = (tester: CreditTester): void => {
  const { ledger, openUser, outlive, sweepAll, settle, balance, rows, expectSound } = tester
  const price = {
    creditsPer1kInput: 100,
    creditsPer1kCachedInput: 50,
    creditsPer1kCacheWrite: 100,
    creditsPer1kOutput: 400,
    minimumCredits: 3
  }
  const draft = { ...receiptDraft, price, usage: { freshInput: 55, cacheRead: 0, cacheWrite: 0, output: 0 } }
  /** Waits until all holds with a lifetime of one millisecond have expired. */
  const elapse = Effect.suspend(() => Effect.flatMap(ledger.now, (now) => outlive(now + 1)))
  /** A hold with a lifetime of one millisecond. */
  const dying = (userId: string, key: string, amount = 60) =>
    Effect.flatMap(ledger.reserve(reservation(userId, key, amount, { ttlMs: 1, draft })), (reserved) =>
      outlive(reserved._tag === "Held" ? reserved.hold.expiresAt : 0)
    )
  const renew = (userId: string, key: string, outputTokens: number, ttlMs: number) =>
    ledger.renew({ holds: [{ userId, key, outputTokens }], ttlMs })

  describe("renew and sweep", () => {
    it("a hold that was not renewed is charged for its input and the last recorded output", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1"))
      expect(await run(renew(userId, "reply:1", 20, 1))).toEqual({ renewed: 1, gone: [] })
      await run(elapse)
      await run(sweepAll)
      expect(await balance(userId)).toMatchObject({ allowance: 86, held: 0 })
      const [row] = await rows(userId)
      const receipt = {
        charged: 14,
        held: 60,
        estimated: true,
        ended: "expired",
        usage: { ...draft.usage, output: 20 }
      }
      expect(row).toMatchObject({ type: "usage", amount: -14, reference: "reply:1", receipt })
      await expectSound(userId)
    })

    it("a hold is charged by what its progress reported of the model and its input, and keeps that", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1"))
      const cheaper = { ...draft, model: "model-b", price: { ...price, creditsPer1kOutput: 100 } }
      const lastReport = { ...cheaper, usage: { freshInput: 10, cacheRead: 100, cacheWrite: 0, output: 0 } }
      await run(ledger.renew({ holds: [{ userId, key: "reply:1", outputTokens: 10, draft: lastReport }], ttlMs: 1 }))
      await run(renew(userId, "reply:1", 20, 1))
      await run(elapse)
      await run(sweepAll)
      const [row] = await rows(userId)
      const receipt = { charged: 8, model: "model-b", usage: { freshInput: 10, cacheRead: 100, output: 20 } }
      expect(row).toMatchObject({ amount: -8, model: "model-b", receipt })
      await expectSound(userId)
    })

    it("a rewrite that its progress reported is charged once with it, and so is the rest of the reply", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1"))
      const usage = { freshInput: 30, cacheRead: 0, cacheWrite: 0, output: 10 }
      const rewrite = { model: "model-b", price, usage, estimated: false, credits: 7 }
      const rewritten = { ...draft, rewrite }
      await run(ledger.renew({ holds: [{ userId, key: "reply:1", outputTokens: 20, draft: rewritten }], ttlMs: 1 }))
      await run(elapse)
      await run(sweepAll)
      expect((await rows(userId))[0]).toMatchObject({
        amount: -21,
        model: draft.model,
        receipt: { charged: 21, rewrite }
      })
      const output = { ...draft.usage, output: 50 }
      const paying = { userId, key: "reply:1", rest: "reply:1:rest:1", source: "chat", bound: 60 } as const
      const whole = { ...rewritten, usage: output }
      const late = ledger.settleReply({ ...paying, cost: 33, before: NOTHING_PAID, draft: whole })
      expect(await run(late)).toMatchObject({ _tag: "Settled", receipt: { charged: 12, usage: { output: 30 } } })
      const [rest] = await rows(userId)
      expect(rest).toMatchObject({ amount: -12 })
      expect(rest?.receipt).not.toHaveProperty("rewrite")
      expect(await balance(userId)).toMatchObject({ allowance: 67, held: 0 })
      await expectSound(userId)
    })

    it("a hold whose reply delivered nothing is released", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1"))
      await run(sweepAll)
      expect(await balance(userId)).toMatchObject({ allowance: 100, held: 0 })
      expect(await rows(userId)).toHaveLength(1)
    })

    it("a hold that was renewed lives on, however long ago it was made", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1"))
      await run(renew(userId, "reply:1", 5, LONG))
      await run(sweepAll)
      expect(await balance(userId)).toMatchObject({ held: 60 })
      expect(await run(settle(userId, "reply:1", 10))).toMatchObject({ _tag: "Settled", receipt: { charged: 10 } })
    })

    it("neither progress nor expiry moves backwards", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1"))
      await run(renew(userId, "reply:1", 20, 1))
      await run(renew(userId, "reply:1", 5, 1))
      await run(dying(userId, "reply:2", 20))
      await run(renew(userId, "reply:2", 20, LONG))
      await run(renew(userId, "reply:2", 20, 1))
      await run(elapse)
      await run(sweepAll)
      expect((await rows(userId))[0]).toMatchObject({ reference: "reply:1", receipt: { usage: { output: 20 } } })
      expect(await balance(userId)).toMatchObject({ allowance: 86, held: 20 })
    })

    it("holds that have ended or never were are reported as gone, and the others in the same call are renewed", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1", 10))
      await run(dying(userId, "reply:2", 10))
      await run(settle(userId, "reply:1", 5))
      const holds = ["reply:1", "reply:2", "reply:3"].map((key) => ({ userId, key, outputTokens: 9 }))
      const { renewed, gone } = await run(ledger.renew({ holds, ttlMs: LONG }))
      expect(renewed).toBe(1)
      expect(gone.map(({ key }) => key).toSorted()).toEqual(["reply:1", "reply:3"])
      expect(gone.every((hold) => hold.userId === userId)).toBe(true)
      expect(await run(ledger.renew({ holds: [], ttlMs: LONG }))).toEqual({ renewed: 0, gone: [] })
      expect(await balance(userId)).toMatchObject({ allowance: 95, held: 10 })
    })

    it("a settlement or release after a sweep gets the first end", async () => {
      const userId = await openUser(100)
      await run(dying(userId, "reply:1"))
      await run(renew(userId, "reply:1", 20, 1))
      await run(dying(userId, "reply:2", 20))
      await run(elapse)
      await run(sweepAll)
      const swept = { _tag: "Settled", receipt: { charged: 14, ended: "expired" } }
      expect(await run(settle(userId, "reply:1", 40))).toMatchObject(swept)
      expect(await run(ledger.release({ userId, key: "reply:1" }))).toMatchObject(swept)
      expect(await run(settle(userId, "reply:2", 40))).toEqual({ _tag: "Released" })
      expect(await balance(userId)).toMatchObject({ allowance: 86, held: 0 })
    })

    it("many sweepers at once end every hold once", async () => {
      const users = await Promise.all(Array.from({ length: 5 }, () => openUser(100)))
      for (const userId of users) {
        for (const number of [1, 2, 3, 4]) await run(dying(userId, `reply:${number}`, 20))
        await run(renew(userId, "reply:1", 20, 1))
      }
      await run(elapse)
      await run(
        Effect.all(
          Array.from({ length: 8 }, () => sweepAll),
          { concurrency: "unbounded" }
        )
      )
      await run(sweepAll)
      for (const userId of users) {
        expect(await balance(userId)).toMatchObject({ allowance: 86, held: 0 })
        expect(await rows(userId)).toHaveLength(2)
        await expectSound(userId)
      }
    })
  })
}
