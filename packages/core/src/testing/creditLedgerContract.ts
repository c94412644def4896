import { Effect, type Layer, ManagedRuntime, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { balanceOf } from "../credits/Account.ts"
import { CreditLedger } from "../credits/CreditLedger.ts"
import type { UserId } from "../identity/UserId.ts"
import { receiptDraft, reservation } from "./creditFixtures.ts"

type Ledger = CreditLedger["Service"]

/** The guarantees of every `CreditLedger`. `layer` is built once; every test uses accounts of its own. */
export const creditLedgerContract = (name: string, layer: Layer.Layer<CreditLedger, unknown>): void => {
  describe(`CreditLedger: ${name}`, () => {
    const runtime = ManagedRuntime.make(layer)
    let ledger: Ledger
    beforeAll(async () => {
      ledger = await runtime.runPromise(CreditLedger)
    })
    afterAll(() => runtime.dispose())

    const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
    const newUser = (): UserId => `user-${crypto.randomUUID()}`
    const openUser = async (allowance: number): Promise<UserId> => {
      const userId = newUser()
      await run(ledger.open({ userId, tier: "free", allowance }))
      return userId
    }
    const grant = (userId: UserId, key: string, amount: number, type: "topup" | "grant" = "topup") =>
      ledger.grant({ userId, key, type, amount })
    const settle = (userId: UserId, key: string, amount: number) =>
      ledger.settle({ userId, key, amount, draft: receiptDraft })
    const balance = (userId: UserId) => run(Effect.map(ledger.account(userId), balanceOf))
    const rows = async (userId: UserId) =>
      (await run(ledger.history({ userId, limit: 200, offset: 0, type: undefined }))).transactions
    const expectSound = async (userId: UserId) => {
      const { allowance, topup, debt } = await balance(userId)
      const all = await rows(userId)
      const sum = (of: (row: (typeof all)[number]) => number) => all.reduce((total, row) => total + of(row), 0)
      expect(sum((row) => row.amount)).toBe(allowance + topup - debt)
      expect(sum((row) => row.allowanceAmount)).toBe(allowance)
      expect(sum((row) => row.topupAmount)).toBe(topup)
      expect(all[0]?.balanceAfter).toBe(allowance + topup - debt)
      expect(all.map((row) => Number(row.id))).toEqual(all.map((_, index) => all.length - index))
    }
    const tagOf = async (effect: Effect.Effect<unknown, { readonly _tag: string }>) => {
      const result = await run(Effect.result(effect))
      return Result.isFailure(result) ? result.failure._tag : "succeeded"
    }

    describe("open", () => {
      it("opens an account at first sight with its allowance as one reset row", async () => {
        const userId = newUser()
        const account = await run(ledger.open({ userId, tier: "free", allowance: 100 }))
        expect(account).toMatchObject({ userId, tier: "free", allowance: 100, topup: 0, debt: 0, heldAllowance: 0 })
        expect(account.periodStart).toBe(account.anchor)
        expect(account.nextResetAt).toBeGreaterThan(account.periodStart)
        const [row, ...others] = await rows(userId)
        expect(others).toEqual([])
        expect(row).toMatchObject({ id: "1", type: "reset", amount: 100, allowanceAmount: 100, balanceAfter: 100 })
        expect(row?.reference).toBe(`period:${userId}:${new Date(account.periodStart).toISOString()}`)
      })

      it("gives the account as it is when it exists, whatever tier and allowance are named", async () => {
        const userId = newUser()
        const first = await run(ledger.open({ userId, tier: "free", allowance: 100 }))
        expect(await run(ledger.open({ userId, tier: "pro", allowance: 5_000 }))).toEqual(first)
        expect(await run(ledger.account(userId))).toEqual(first)
      })

      it("opens one account when 50 first requests arrive at once", async () => {
        const userId = newUser()
        const open = ledger.open({ userId, tier: "free", allowance: 100 })
        const accounts = await run(
          Effect.all(
            Array.from({ length: 50 }, () => open),
            { concurrency: "unbounded" }
          )
        )
        expect(accounts.map(({ anchor }) => anchor)).toEqual(accounts.map(() => accounts[0]?.anchor))
        expect(await rows(userId)).toHaveLength(1)
        expect(await balance(userId)).toMatchObject({ allowance: 100, available: 100 })
      })

      it("opens an account without credits where the tier gives none", async () => {
        const userId = await openUser(0)
        expect(await balance(userId)).toMatchObject({ allowance: 0, available: 0 })
        await expectSound(userId)
      })

      it("knows no account before it is opened", async () => {
        const userId = newUser()
        expect(await tagOf(ledger.account(userId))).toBe("AccountNotFound")
        expect(await tagOf(ledger.history({ userId, limit: 10, offset: 0, type: undefined }))).toBe("AccountNotFound")
        expect(await tagOf(ledger.reserve(reservation(userId, "reply:1", 1)))).toBe("AccountNotFound")
        expect(await tagOf(grant(userId, "topup:1", 1))).toBe("AccountNotFound")
        expect(await tagOf(settle(userId, "reply:1", 1))).toBe("HoldNotFound")
        expect(await tagOf(ledger.release({ userId, key: "reply:1" }))).toBe("HoldNotFound")
      })
    })

    describe("reserve", () => {
      it("sets aside the allowance first, then what was bought, and writes no row", async () => {
        const userId = await openUser(100)
        await run(grant(userId, "topup:1", 50))
        const reserved = await run(ledger.reserve(reservation(userId, "reply:1", 120)))
        const from = { allowance: 100, topup: 20 }
        expect(reserved).toMatchObject({ _tag: "Held", replayed: false, hold: { key: "reply:1", amount: 120, from } })
        expect(await balance(userId)).toMatchObject({ allowance: 100, topup: 50, held: 120, available: 30 })
        expect(await rows(userId)).toHaveLength(2)
      })

      it("holds what is there where that is still useful", async () => {
        const userId = await openUser(100)
        const reserved = await run(ledger.reserve(reservation(userId, "reply:1", 250, { atLeast: 100 })))
        expect(reserved).toMatchObject({ _tag: "Held", hold: { amount: 100, from: { allowance: 100, topup: 0 } } })
        expect(await balance(userId)).toMatchObject({ held: 100, available: 0 })
      })

      it("refuses, and holds nothing, where even the least useful amount does not fit", async () => {
        const userId = await openUser(100)
        const account = await run(ledger.account(userId))
        const refused = await run(ledger.reserve(reservation(userId, "reply:1", 250, { atLeast: 101 })))
        expect(refused).toEqual({
          _tag: "Refused",
          buckets: { allowance: 100, topup: 0, debt: 0, heldAllowance: 0, heldTopup: 0 },
          nextResetAt: account.nextResetAt
        })
        expect(await balance(userId)).toMatchObject({ held: 0, available: 100 })
      })

      it("may be tried again under the same key after a refusal, once there are credits", async () => {
        const userId = await openUser(0)
        const reserve = ledger.reserve(reservation(userId, "reply:1", 10))
        expect(await run(reserve)).toMatchObject({ _tag: "Refused" })
        await run(grant(userId, "topup:1", 10))
        expect(await run(reserve)).toMatchObject({ _tag: "Held", replayed: false })
      })

      it("holds once for a key that comes again, also after the hold has ended", async () => {
        const userId = await openUser(100)
        const reserve = ledger.reserve(reservation(userId, "reply:1", 60))
        const first = await run(reserve)
        expect(await run(reserve)).toEqual({ ...first, replayed: true })
        expect(await balance(userId)).toMatchObject({ held: 60 })
        await run(settle(userId, "reply:1", 10))
        expect(await run(reserve)).toEqual({ ...first, replayed: true })
        expect(await balance(userId)).toMatchObject({ held: 0, available: 90 })
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
        const wrong = [{ atLeast: 11 }, { atLeast: 0 }, { ttlMs: 0 }, { ttlMs: 1.5 }]
        for (const changes of wrong) {
          expect(await tagOf(ledger.reserve(reservation(userId, "reply:1", 10, changes)))).toBe("InvalidAmount")
        }
        expect(await balance(userId)).toMatchObject({ held: 0, available: 100 })
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

    describe("settle and release", () => {
      it("charges what the reply cost, gives back the rest and writes one row with a receipt", async () => {
        const userId = await openUser(100)
        await run(grant(userId, "topup:1", 50))
        await run(ledger.reserve(reservation(userId, "reply:1", 120)))
        const receipt = {
          ...receiptDraft,
          held: 120,
          charged: 30,
          paidFrom: { allowance: 30, topup: 0, debt: 0 }
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

      it("takes a charge above the hold from what is free, then owes the rest", async () => {
        const userId = await openUser(100)
        await run(grant(userId, "topup:1", 50))
        await run(ledger.reserve(reservation(userId, "reply:1", 80)))
        const settled = await run(settle(userId, "reply:1", 200))
        expect(settled).toMatchObject({ receipt: { charged: 200, paidFrom: { allowance: 100, topup: 50, debt: 50 } } })
        expect(await balance(userId)).toMatchObject({ allowance: 0, topup: 0, held: 0, debt: 50, available: 0 })
        await expectSound(userId)
      })

      it("leaves other holds alone when a charge exceeds its own", async () => {
        const userId = await openUser(100)
        await run(ledger.reserve(reservation(userId, "reply:1", 40)))
        await run(ledger.reserve(reservation(userId, "reply:2", 60)))
        await run(settle(userId, "reply:1", 55))
        expect(await balance(userId)).toMatchObject({ allowance: 60, held: 60, debt: 15, available: 0 })
        expect(await run(settle(userId, "reply:2", 60))).toMatchObject({ receipt: { paidFrom: { allowance: 60 } } })
        expect(await balance(userId)).toMatchObject({ allowance: 0, held: 0, debt: 15 })
        await expectSound(userId)
      })

      it("repays debt first from credits that come back", async () => {
        const userId = await openUser(100)
        await run(ledger.reserve(reservation(userId, "reply:1", 40)))
        await run(ledger.reserve(reservation(userId, "reply:2", 60)))
        await run(settle(userId, "reply:1", 55))
        await run(ledger.release({ userId, key: "reply:2" }))
        expect(await balance(userId)).toMatchObject({ allowance: 45, held: 0, debt: 0, available: 45 })
        const [row] = await rows(userId)
        expect(row).toMatchObject({ type: "adjustment", amount: 0, allowanceAmount: -15, reference: "repaid:reply:2" })
        await expectSound(userId)
      })

      it("gives everything back on release and writes no row", async () => {
        const userId = await openUser(100)
        await run(ledger.reserve(reservation(userId, "reply:1", 80)))
        expect(await run(ledger.release({ userId, key: "reply:1" }))).toEqual({ _tag: "Released" })
        expect(await balance(userId)).toMatchObject({ allowance: 100, held: 0, available: 100 })
        expect(await rows(userId)).toHaveLength(1)
      })

      it("ends a hold once: whoever comes later gets the first end", async () => {
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

      it("knows no hold that was never made, and none of somebody else", async () => {
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

    describe("grant", () => {
      it("adds bought and given credits to the top-up bucket", async () => {
        const userId = await openUser(100)
        const bought = await run(grant(userId, "topup:1", 500))
        expect(bought).toMatchObject({ id: "2", type: "topup", amount: 500, topupAmount: 500, balanceAfter: 600 })
        expect(bought).toMatchObject({ reference: "topup:1", allowanceAmount: 0, model: undefined, receipt: undefined })
        expect(await run(grant(userId, "gift:1", 1, "grant"))).toMatchObject({ type: "grant", balanceAfter: 601 })
        expect(await balance(userId)).toMatchObject({ allowance: 100, topup: 501, available: 601 })
      })

      it("adds credits once for a key that comes again, also many times at once", async () => {
        const userId = await openUser(0)
        const buy = grant(userId, "topup:1", 500)
        const answers = await run(
          Effect.all(
            Array.from({ length: 20 }, () => buy),
            { concurrency: "unbounded" }
          )
        )
        expect(answers).toEqual(answers.map(() => answers[0]))
        expect(await run(buy)).toEqual(answers[0])
        expect(await balance(userId)).toMatchObject({ topup: 500 })
        expect(await rows(userId)).toHaveLength(2)
      })

      it("refuses a key that granted another amount or kind", async () => {
        const userId = await openUser(0)
        await run(grant(userId, "topup:1", 500))
        expect(await tagOf(grant(userId, "topup:1", 501))).toBe("KeyConflict")
        expect(await tagOf(grant(userId, "topup:1", 500, "grant"))).toBe("KeyConflict")
        expect(await balance(userId)).toMatchObject({ topup: 500 })
      })

      it("repays debt first", async () => {
        const userId = await openUser(10)
        await run(ledger.reserve(reservation(userId, "reply:1", 10)))
        await run(settle(userId, "reply:1", 40))
        expect(await run(grant(userId, "topup:1", 20))).toMatchObject({ amount: 20, topupAmount: 0, balanceAfter: -10 })
        expect(await balance(userId)).toMatchObject({ topup: 0, debt: 10, available: 0 })
        expect(await run(grant(userId, "topup:2", 20))).toMatchObject({ amount: 20, topupAmount: 10, balanceAfter: 10 })
        expect(await balance(userId)).toMatchObject({ topup: 10, debt: 0, available: 10 })
        await expectSound(userId)
      })

      it("keeps the largest amounts exact and refuses what would exceed them", async () => {
        const userId = await openUser(1)
        await run(grant(userId, "topup:1", Number.MAX_SAFE_INTEGER - 1))
        expect(await balance(userId)).toMatchObject({ available: Number.MAX_SAFE_INTEGER })
        expect(await tagOf(grant(userId, "topup:2", 1))).toBe("InvalidAmount")
        for (const amount of [0, -5, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
          expect(await tagOf(grant(userId, "topup:3", amount))).toBe("InvalidAmount")
        }
        const all = reservation(userId, "reply:1", Number.MAX_SAFE_INTEGER)
        expect(await run(ledger.reserve(all))).toMatchObject({ hold: { amount: Number.MAX_SAFE_INTEGER } })
        await run(settle(userId, "reply:1", Number.MAX_SAFE_INTEGER))
        expect(await balance(userId)).toMatchObject({ available: 0, debt: 0 })
        await expectSound(userId)
      })
    })

    describe("history", () => {
      it("gives rows newest first, in pages, with the count of all", async () => {
        const userId = await openUser(100)
        for (const number of [1, 2, 3, 4]) await run(grant(userId, `topup:${number}`, number))
        const page = await run(ledger.history({ userId, limit: 2, offset: 1, type: undefined }))
        expect(page.total).toBe(5)
        expect(page.transactions.map(({ reference }) => reference)).toEqual(["topup:3", "topup:2"])
        const beyond = await run(ledger.history({ userId, limit: 2, offset: 9, type: undefined }))
        expect(beyond).toEqual({ transactions: [], total: 5 })
      })

      it("filters by type; an unknown type matches nothing", async () => {
        const userId = await openUser(100)
        await run(grant(userId, "topup:1", 5))
        await run(grant(userId, "gift:1", 5, "grant"))
        const bought = await run(ledger.history({ userId, limit: 10, offset: 0, type: "topup" }))
        expect(bought).toMatchObject({ total: 1, transactions: [{ reference: "topup:1" }] })
        for (const type of ["no such type", "", "\0", "\ud800"]) {
          const unknown = await run(ledger.history({ userId, limit: 10, offset: 0, type }))
          expect(unknown).toEqual({ transactions: [], total: 0 })
        }
      })

      it("shows nobody else's rows", async () => {
        const userId = await openUser(100)
        const other = await openUser(100)
        await run(grant(other, "topup:1", 5))
        expect((await rows(userId)).map(({ type }) => type)).toEqual(["reset"])
      })
    })
  })
}
