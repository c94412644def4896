import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { receiptDraft, reservation } from "./creditFixtures.ts"
import { type CreditTester, run, tagOf } from "./creditTester.ts"

/** Tests the reservation of credits. */
export const describeReserve = ({ ledger, openUser, grant, settle, balance, rows }: CreditTester): void => {
  describe("reserve", () => {
    it("sets aside the allowance first, then the top-ups, and writes no row", async () => {
      const userId = await openUser(100)
      await run(grant(userId, "topup:1", 50))
      const reserved = await run(ledger.reserve(reservation(userId, "reply:1", 120)))
      const from = { allowance: 100, topup: 20 }
      expect(reserved).toMatchObject({ _tag: "Held", replayed: false, hold: { key: "reply:1", amount: 120, from } })
      expect(await balance(userId)).toMatchObject({ allowance: 100, topup: 50, held: 120, available: 30 })
      expect(await rows(userId)).toHaveLength(2)
    })

    it("holds the available credits if they are still useful", async () => {
      const userId = await openUser(100)
      const reserved = await run(ledger.reserve(reservation(userId, "reply:1", 250, { minimumAmount: 100 })))
      expect(reserved).toMatchObject({ _tag: "Held", hold: { amount: 100, from: { allowance: 100, topup: 0 } } })
      expect(await balance(userId)).toMatchObject({ held: 100, available: 0 })
    })

    it("refuses, and holds nothing, where even the least useful amount does not fit", async () => {
      const userId = await openUser(100)
      const account = await run(ledger.account(userId))
      const refused = await run(ledger.reserve(reservation(userId, "reply:1", 250, { minimumAmount: 101 })))
      expect(refused).toEqual({
        _tag: "Refused",
        buckets: { allowance: 100, topup: 0, debt: 0, heldAllowance: 0, heldTopup: 0 },
        nextResetAt: account.nextResetAt
      })
      expect(await balance(userId)).toMatchObject({ held: 0, available: 100 })
    })

    it("sets nothing aside if the account is on another tier than assumed, and returns the account", async () => {
      const userId = await openUser(100)
      const account = await run(ledger.account(userId))
      const elsewhere = await run(ledger.reserveOnTier(reservation(userId, "reply:1", 10), "pro"))
      expect(elsewhere).toEqual({ _tag: "OnOtherTier", account })
      expect(await balance(userId)).toMatchObject({ held: 0, available: 100 })
      const held = await run(ledger.reserveOnTier(reservation(userId, "reply:1", 10), account.tier))
      expect(held).toMatchObject({ _tag: "Held", replayed: false })
      const again = await run(ledger.reserveOnTier(reservation(userId, "reply:1", 10), "pro"))
      expect(again).toEqual({ ...held, replayed: true })
    })

    it("may be tried again under the same key after a refusal, once there are credits", async () => {
      const userId = await openUser(0)
      const reserve = ledger.reserve(reservation(userId, "reply:1", 10))
      expect(await run(reserve)).toMatchObject({ _tag: "Refused" })
      await run(grant(userId, "topup:1", 10))
      expect(await run(reserve)).toMatchObject({ _tag: "Held", replayed: false })
    })

    it("holds once for a repeated key, even after the hold has ended", async () => {
      const userId = await openUser(100)
      const reserve = ledger.reserve(reservation(userId, "reply:1", 60))
      const first = await run(reserve)
      expect(await run(reserve)).toEqual({ ...first, replayed: true })
      expect(await balance(userId)).toMatchObject({ held: 60 })
      await run(settle(userId, "reply:1", 10))
      expect(await run(reserve)).toEqual({ ...first, replayed: true, state: "settled" })
      expect(await balance(userId)).toMatchObject({ held: 0, available: 90 })
    })

    it("says of a repeated key how its hold ended", async () => {
      const userId = await openUser(100)
      const reserve = ledger.reserve(reservation(userId, "reply:1", 60))
      expect(await run(reserve)).toMatchObject({ replayed: false, state: "open" })
      expect(await run(reserve)).toMatchObject({ replayed: true, state: "open" })
      await run(ledger.release({ userId, key: "reply:1" }))
      expect(await run(reserve)).toMatchObject({ replayed: true, state: "released" })
    })

    it("finds the transaction of a key for its owner alone, and none for a key without a charge", async () => {
      const [userId, other] = [await openUser(100), await openUser(100)]
      await run(ledger.reserve(reservation(userId, "reply:1", 60)))
      expect(await run(ledger.transaction(userId, "reply:1"))).toBeUndefined()
      await run(settle(userId, "reply:1", 10))
      expect(await run(ledger.transaction(userId, "reply:1"))).toMatchObject({ amount: -10, receipt: { charged: 10 } })
      expect(await run(ledger.transaction(other, "reply:1"))).toBeUndefined()
      await run(ledger.reserve(reservation(userId, "reply:2", 60)))
      await run(ledger.release({ userId, key: "reply:2" }))
      expect(await run(ledger.transaction(userId, "reply:2"))).toBeUndefined()
    })

    it("finds the transactions of many keys at once, of those that were charged", async () => {
      const [userId, other] = [await openUser(100), await openUser(100)]
      for (const key of ["reply:1", "reply:2", "reply:3"]) {
        await run(ledger.reserve(reservation(userId, key, 30)))
        await run(key === "reply:2" ? ledger.release({ userId, key }) : settle(userId, key, 10))
      }
      const keys = ["reply:3", "reply:2", "reply:1", "reply:none"]
      const found = await run(ledger.transactions(userId, keys))
      expect([...found.keys()].toSorted()).toEqual(["reply:1", "reply:3"])
      expect(found.get("reply:3")).toEqual(await run(ledger.transaction(userId, "reply:3")))
      expect((await run(ledger.transactions(other, keys))).size).toBe(0)
      expect((await run(ledger.transactions(userId, []))).size).toBe(0)
    })

    it("uses the caller's fingerprint of a key if there is one", async () => {
      const userId = await openUser(100)
      const asked = (amount: number, fingerprint: string) =>
        ledger.reserve({ ...reservation(userId, "reply:1", amount), fingerprint })
      await run(asked(60, "the same question"))
      expect(await run(asked(70, "the same question"))).toMatchObject({ replayed: true, hold: { amount: 60 } })
      expect(await tagOf(asked(60, "another question"))).toBe("KeyConflict")
    })

    it("refuses a key that was used for something else", async () => {
      const userId = await openUser(100)
      await run(ledger.reserve(reservation(userId, "reply:1", 60)))
      expect(await tagOf(ledger.reserve(reservation(userId, "reply:1", 61)))).toBe("KeyConflict")
      expect(await tagOf(grant(userId, "reply:1", 60))).toBe("KeyConflict")
      await run(ledger.release({ userId, key: "reply:1" }))
      expect(await tagOf(ledger.reserve(reservation(userId, "reply:1", 61)))).toBe("KeyConflict")
      await run(grant(userId, "topup:1", 60))
      expect(await tagOf(ledger.reserve(reservation(userId, "topup:1", 60)))).toBe("KeyConflict")
      expect(await balance(userId)).toMatchObject({ held: 0, available: 160 })
    })

    it("refuses amounts that are not whole, not positive or out of order", async () => {
      const userId = await openUser(100)
      for (const amount of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1]) {
        expect(await tagOf(ledger.reserve(reservation(userId, "reply:1", amount)))).toBe("InvalidAmount")
      }
      const wrong = [{ minimumAmount: 11 }, { minimumAmount: 0 }, { ttlMs: 0 }, { ttlMs: 1.5 }, { openAtMost: 0 }]
      for (const changes of wrong) {
        expect(await tagOf(ledger.reserve(reservation(userId, "reply:1", 10, changes)))).toBe("InvalidAmount")
      }
      expect(await balance(userId)).toMatchObject({ held: 0, available: 100 })
    })

    it("lets as many through at once as may be open, and the next one when one of them has ended", async () => {
      const userId = await openUser(1_000)
      const reserve = (key: string) => ledger.reserve(reservation(userId, key, 10, { openAtMost: 3 }))
      const all = Array.from({ length: 20 }, (_, index) => reserve(`reply:${index}`))
      const answers = await run(Effect.all(all, { concurrency: "unbounded" }))
      const held = answers.flatMap((answer) => (answer._tag === "Held" ? [answer.hold.key] : []))
      expect(held).toHaveLength(3)
      expect(answers.filter(({ _tag }) => _tag === "Busy")).toHaveLength(17)
      expect(await run(reserve("reply:next"))).toEqual({ _tag: "Busy", open: 3 })
      expect(await run(reserve(held[0] ?? ""))).toMatchObject({ _tag: "Held", replayed: true })
      expect(await run(ledger.reserve(reservation(userId, "reply:free", 10)))).toMatchObject({ _tag: "Held" })
      await run(ledger.release({ userId, key: "reply:free" }))
      await run(settle(userId, held[0] ?? "", 5))
      expect(await run(reserve("reply:next"))).toMatchObject({ _tag: "Held", replayed: false })
      expect(await balance(userId)).toMatchObject({ held: 30 })
    })

    it("lets one of many through when the balance pays for one", async () => {
      const userId = await openUser(40)
      const answers = await run(
        Effect.all(
          Array.from({ length: 50 }, (_, index) => ledger.reserve(reservation(userId, `reply:${index}`, 40))),
          { concurrency: "unbounded" }
        )
      )
      expect(answers.filter(({ _tag }) => _tag === "Held")).toHaveLength(1)
      expect(await balance(userId)).toMatchObject({ held: 40, available: 0 })
    })
  })
}

/** Tests the end of holds. */
export const describeHoldEnds = ({
  ledger,
  openUser,
  grant,
  settle,
  take,
  balance,
  rows,
  expectSound
}: CreditTester): void => {
  describe("settle and release", () => {
    it("charges the price of the reply, releases the rest and writes one row with a receipt", async () => {
      const userId = await openUser(100)
      await run(grant(userId, "topup:1", 50))
      await run(ledger.reserve(reservation(userId, "reply:1", 120)))
      const receipt = {
        ...receiptDraft,
        source: "chat",
        held: 120,
        charged: 30,
        paidFrom: { allowance: 30, topup: 0 }
      }
      expect(await run(settle(userId, "reply:1", 30))).toEqual({ _tag: "Settled", receipt, transactionId: "3" })
      expect(await balance(userId)).toMatchObject({ allowance: 70, topup: 50, held: 0, available: 120 })
      const [row] = await rows(userId)
      expect(row).toMatchObject({
        id: "3",
        type: "usage",
        amount: -30,
        allowanceAmount: -30,
        topupAmount: 0,
        receipt
      })
      expect(row).toMatchObject({ model: receiptDraft.model, reference: "reply:1", balanceAfter: 120 })
    })

    it("charges a cost above the hold up to the hold, and never a credit more", async () => {
      const userId = await openUser(100)
      await run(grant(userId, "topup:1", 50))
      await run(ledger.reserve(reservation(userId, "reply:1", 120)))
      const settled = await run(settle(userId, "reply:1", 200))
      expect(settled).toMatchObject({ receipt: { held: 120, charged: 120, paidFrom: { allowance: 100, topup: 20 } } })
      expect(await balance(userId)).toMatchObject({ allowance: 0, topup: 30, held: 0, debt: 0, available: 30 })
      expect((await rows(userId))[0]).toMatchObject({ type: "usage", amount: -120 })
      await expectSound(userId)
    })

    it("leaves other holds and free credits alone if a price exceeds its hold", async () => {
      const userId = await openUser(110)
      await run(ledger.reserve(reservation(userId, "reply:1", 40)))
      await run(ledger.reserve(reservation(userId, "reply:2", 60)))
      await run(settle(userId, "reply:1", Number.MAX_SAFE_INTEGER))
      expect(await balance(userId)).toMatchObject({ allowance: 70, held: 60, debt: 0, available: 10 })
      expect(await run(settle(userId, "reply:2", 60))).toMatchObject({ receipt: { paidFrom: { allowance: 60 } } })
      expect(await balance(userId)).toMatchObject({ allowance: 10, held: 0, debt: 0 })
      await expectSound(userId)
    })

    it("repays debt first from credits that come back", async () => {
      const userId = await openUser(100)
      await run(ledger.reserve(reservation(userId, "reply:1", 40)))
      await run(ledger.reserve(reservation(userId, "reply:2", 60)))
      await run(take(userId, "adjustment:1", 15))
      expect(await balance(userId)).toMatchObject({ allowance: 100, held: 100, debt: 15 })
      await run(ledger.release({ userId, key: "reply:2" }))
      expect(await balance(userId)).toMatchObject({ allowance: 85, held: 40, debt: 0, available: 45 })
      const [row] = await rows(userId)
      expect(row).toMatchObject({ type: "adjustment", amount: 0, allowanceAmount: -15, reference: "repaid:reply:2" })
      await expectSound(userId)
    })

    it("releases everything and writes no row", async () => {
      const userId = await openUser(100)
      await run(ledger.reserve(reservation(userId, "reply:1", 80)))
      expect(await run(ledger.release({ userId, key: "reply:1" }))).toEqual({ _tag: "Released" })
      expect(await balance(userId)).toMatchObject({ allowance: 100, held: 0, available: 100 })
      expect(await rows(userId)).toHaveLength(1)
    })

    it("ends a hold once: later calls get the first end", async () => {
      const userId = await openUser(100)
      await run(ledger.reserve(reservation(userId, "reply:1", 30)))
      await run(ledger.reserve(reservation(userId, "reply:2", 30)))
      const settled = await run(settle(userId, "reply:1", 10))
      expect(await run(settle(userId, "reply:1", 25))).toEqual(settled)
      expect(await run(ledger.release({ userId, key: "reply:1" }))).toEqual(settled)
      const released = await run(ledger.release({ userId, key: "reply:2" }))
      expect(await run(settle(userId, "reply:2", 25))).toEqual(released)
      expect(await run(ledger.release({ userId, key: "reply:2" }))).toEqual(released)
      expect(await balance(userId)).toMatchObject({ allowance: 90, held: 0 })
      expect(await rows(userId)).toHaveLength(2)
    })

    it("charges once when many settle and release the same hold at once", async () => {
      const userId = await openUser(100)
      await run(ledger.reserve(reservation(userId, "reply:1", 30)))
      const ends = Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? settle(userId, "reply:1", 10 + index) : ledger.release({ userId, key: "reply:1" })
      )
      const answers = await run(Effect.all(ends, { concurrency: "unbounded" }))
      expect(answers).toEqual(answers.map(() => answers[0]))
      const charged = answers[0]?._tag === "Settled" ? answers[0].receipt.charged : 0
      expect(await balance(userId)).toMatchObject({ allowance: 100 - charged, held: 0 })
      await expectSound(userId)
    })

    it("accepts a charge of nothing, and refuses one that is not a whole number", async () => {
      const userId = await openUser(100)
      await run(ledger.reserve(reservation(userId, "reply:1", 30)))
      for (const amount of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
        expect(await tagOf(settle(userId, "reply:1", amount))).toBe("InvalidAmount")
      }
      expect(await balance(userId)).toMatchObject({ held: 30 })
      expect(await run(settle(userId, "reply:1", 0))).toMatchObject({ _tag: "Settled", receipt: { charged: 0 } })
      expect(await balance(userId)).toMatchObject({ allowance: 100, held: 0 })
      await expectSound(userId)
    })

    it("knows no hold that was never made, and none of another user", async () => {
      const userId = await openUser(100)
      const other = await openUser(100)
      await run(ledger.reserve(reservation(other, "reply:1", 30)))
      await run(grant(userId, "topup:1", 30))
      expect(await tagOf(settle(userId, "reply:1", 10))).toBe("HoldNotFound")
      expect(await tagOf(ledger.release({ userId, key: "reply:1" }))).toBe("HoldNotFound")
      expect(await tagOf(settle(userId, "topup:1", 10))).toBe("HoldNotFound")
      expect(await balance(other)).toMatchObject({ held: 30 })
    })
  })
}

/** Tests a reply whose hold a sweeper ended, and a repetition of its request. */
export const describeRepeatedReply = ({ ledger, openUser, balance, expectSound }: CreditTester): void => {
  describe("closeRest", () => {
    const swept = async () => {
      const userId = await openUser(100)
      await run(ledger.reserve(reservation(userId, "reply:1", 60)))
      await run(ledger.release({ userId, key: "reply:1" }))
      const rest = { userId, key: "reply:1:rest:1" }
      const late = ledger.settleReply({
        userId,
        key: "reply:1",
        rest: rest.key,
        source: "chat",
        cost: 40,
        bound: 60,
        before: { credits: 0, usage: { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0 } },
        draft: receiptDraft
      })
      return { userId, rest, late }
    }

    it("lets a late reply neither hold nor charge credits, and may be repeated", async () => {
      const { userId, rest, late } = await swept()
      expect(await run(ledger.closeRest(rest))).toBe("closed")
      expect(await run(ledger.closeRest(rest))).toBe("closed")
      expect(await tagOf(late)).toBe("KeyConflict")
      expect(await tagOf(ledger.reserve(reservation(userId, rest.key, 60, { fingerprint: rest.key })))).toBe(
        "KeyConflict"
      )
      expect(await balance(userId)).toMatchObject({ allowance: 100, held: 0 })
      await expectSound(userId)
    })

    it("closes nothing if the late reply holds or was charged the rest", async () => {
      const charged = await swept()
      expect(await run(charged.late)).toMatchObject({ _tag: "Settled", receipt: { charged: 40 } })
      expect(await run(ledger.closeRest(charged.rest))).toBe("settled")
      const { rest, userId } = await swept()
      await run(ledger.reserve(reservation(userId, rest.key, 60)))
      expect(await run(ledger.closeRest(rest))).toBe("open")
      await run(ledger.release(rest))
      expect(await run(ledger.closeRest(rest))).toBe("released")
    })

    it("excludes the charge of the late reply if both come at once", async () => {
      const outcomes = Array.from({ length: 8 }, async () => {
        const { userId, rest, late } = await swept()
        const [state, charge] = await Promise.all([run(ledger.closeRest(rest)), tagOf(late)])
        expect([state, charge]).toEqual(state === "closed" ? ["closed", "KeyConflict"] : ["settled", "succeeded"])
        expect(await balance(userId)).toMatchObject({ allowance: state === "closed" ? 100 : 60, held: 0 })
        await expectSound(userId)
        const { differences } = await run(ledger.verify({ limit: 1, after: undefined, userId }))
        expect(differences).toEqual([])
      })
      await Promise.all(outcomes)
    })
  })
}
