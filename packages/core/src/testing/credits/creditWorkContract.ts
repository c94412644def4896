import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ReceiptLine, WorkReceiptDraft } from "../../credits/Transaction.ts"
import type { Spender } from "../../credits/Spender.ts"
import { reservation } from "./creditFixtures.ts"
import { type CreditTester, run, tagOf } from "./creditTester.ts"

/** Tests metered work, by the receipts that contain its usage. */
export const describeWork = (tester: CreditTester): void => {
  const { ledger, openUser, outlive, sweepAll, balance, rows, expectSound } = tester
  const source: Spender = "meter:images"
  const key = "work:1"
  const image: ReceiptLine = { label: "image 1024 x 1024", quantity: 3, unitPrice: 7.5 }
  const seconds: ReceiptLine = { label: "seconds of a processor", quantity: 12.25, unitPrice: 0.1 }
  const draft = (lines: ReadonlyArray<ReceiptLine>): WorkReceiptDraft => ({ lines, ended: "completed" })
  const hold = (userId: string, amount: number, ttlMs = 600_000) =>
    ledger.reserve(reservation(userId, key, amount, { source, ttlMs, draft: { lines: [], ended: "expired" } }))
  const usedToday = (userId: string) =>
    Effect.flatMap(ledger.now, (now) => {
      const day = Math.floor(now / 86_400_000)
      return ledger.usage({ userId, firstDay: day - 1, lastDay: day })
    })

  describe("metered work", () => {
    it("is charged what its lines add up to, rounded up once, with a receipt that says so", async () => {
      const userId = await openUser(100)
      await run(hold(userId, 60))
      const lines = [image, seconds]
      const end = await run(ledger.settle({ userId, key, amount: 24, draft: { ...draft(lines), result: '"kept"' } }))
      const receipt = {
        lines,
        ended: "completed",
        result: '"kept"',
        source,
        held: 60,
        charged: 24,
        paidFrom: { allowance: 24, topup: 0 }
      }
      expect(end).toMatchObject({ _tag: "Settled", receipt })
      const [row] = await rows(userId)
      expect(row).toMatchObject({ type: "usage", amount: -24, model: undefined, source, reference: key })
      expect(row?.receipt).toEqual(receipt)
      expect(await run(usedToday(userId))).toMatchObject([
        { source, model: "", replies: 1, credits: 24, inputTokens: 0 }
      ])
      await expectSound(userId)
    })

    it("is refused an amount that its lines do not add up to, and the hold stays", async () => {
      const userId = await openUser(100)
      await run(hold(userId, 60))
      for (const amount of [0, 22, 23, 60]) {
        const settled = ledger.settle({ userId, key, amount, draft: draft([image, seconds]) })
        expect(await tagOf(settled)).toBe("InvalidAmount")
      }
      const wrong: ReadonlyArray<Partial<ReceiptLine>> = [
        { quantity: -1 },
        { quantity: Number.NaN },
        { unitPrice: Infinity },
        { label: " " },
        { label: "a\u0000b" },
        { label: "\ud800" }
      ]
      for (const each of wrong) {
        const settled = ledger.settle({ userId, key, amount: 0, draft: draft([{ ...image, ...each }]) })
        expect(await tagOf(settled)).toBe("InvalidAmount")
      }
      expect(await balance(userId)).toMatchObject({ allowance: 100, held: 60 })
    })

    it("never costs more than was held, at any prices", async () => {
      const userId = await openUser(100)
      await run(hold(userId, 25))
      const slip = [{ label: "a price in cents", quantity: 1, unitPrice: 24_900 }]
      expect(await run(ledger.settle({ userId, key, amount: 24_900, draft: draft(slip) }))).toMatchObject({
        receipt: { held: 25, charged: 25 }
      })
      expect(await balance(userId)).toMatchObject({ allowance: 75, debt: 0, held: 0 })
      await expectSound(userId)
    })

    it("whose process died is charged for the lines recorded last, and never above its hold", async () => {
      const [modest, slipped, silent] = await Promise.all([openUser(100), openUser(100), openUser(100)])
      const moments = await Promise.all([modest, slipped, silent].map((userId) => run(hold(userId, 25, 1))))
      const renew = (userId: string, quantity: number) => {
        const lines = [{ ...image, quantity }]
        const progress = { userId, key, outputTokens: 0, draft: { lines, ended: "expired" } as const }
        return ledger.renew({ holds: [progress], ttlMs: 1 })
      }
      await run(renew(modest, 1))
      await run(renew(modest, 2))
      await run(renew(slipped, 24_900))
      const last = Math.max(...moments.map((each) => (each._tag === "Held" ? each.hold.expiresAt : 0)))
      await run(Effect.flatMap(ledger.now, (now) => outlive(Math.max(last, now + 1))))
      await run(sweepAll)
      expect(await balance(modest)).toMatchObject({ allowance: 85, held: 0 })
      expect(await balance(slipped)).toMatchObject({ allowance: 75, debt: 0, held: 0 })
      expect(await balance(silent)).toMatchObject({ allowance: 100, held: 0 })
      expect((await rows(modest))[0]?.receipt).toMatchObject({ ended: "expired", lines: [{ ...image, quantity: 2 }] })
      await Promise.all([modest, slipped, silent].map(expectSound))
    })
  })
}
