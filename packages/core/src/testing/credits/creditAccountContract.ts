import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { HistoryPage } from "../../credits/CreditLedger.ts"
import type { Transaction } from "../../credits/Transaction.ts"
import { reservation } from "./creditFixtures.ts"
import { type CreditTester, newUser, run, tagOf } from "./creditTester.ts"

/** Tests the opening of accounts. */
export const describeOpen = ({ ledger, openUser, grant, settle, balance, rows, expectSound }: CreditTester): void => {
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

    it("returns an existing account unchanged, with any tier and allowance named", async () => {
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

    it("opens an account without credits if the tier grants none", async () => {
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
}

/** Tests grants. */
export const describeGrant = (tester: CreditTester): void => {
  const { ledger, openUser, grant, settle, take, balance, rows, expectSound } = tester
  describe("grant", () => {
    it("adds bought and given credits to the top-up bucket", async () => {
      const userId = await openUser(100)
      const bought = await run(grant(userId, "topup:1", 500))
      expect(bought).toMatchObject({ id: "2", type: "topup", amount: 500, topupAmount: 500, balanceAfter: 600 })
      expect(bought).toMatchObject({ reference: "topup:1", allowanceAmount: 0, model: undefined, receipt: undefined })
      expect(await run(grant(userId, "gift:1", 1, "grant"))).toMatchObject({ type: "grant", balanceAfter: 601 })
      expect(await balance(userId)).toMatchObject({ allowance: 100, topup: 501, available: 601 })
    })

    it("adds credits once for a repeated key, even many times at once", async () => {
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
      await run(take(userId, "adjustment:1", 40))
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
}

/** Tests the list of transactions. */
export const describeCreditHistory = ({ ledger, openUser, grant, rows }: CreditTester): void => {
  describe("history", () => {
    it("returns rows newest first, in pages, with the count of all", async () => {
      const userId = await openUser(100)
      for (const number of [1, 2, 3, 4]) await run(grant(userId, `topup:${number}`, number))
      const page = await run(ledger.history({ userId, limit: 2, offset: 1, type: undefined }))
      expect(page.total).toBe(5)
      expect(page.transactions.map(({ reference }) => reference)).toEqual(["topup:3", "topup:2"])
      const beyond = await run(ledger.history({ userId, limit: 2, offset: 9, type: undefined }))
      expect(beyond).toEqual({ transactions: [], total: 5, next: undefined })
    })

    it("filters by type; an unknown type matches nothing", async () => {
      const userId = await openUser(100)
      await run(grant(userId, "topup:1", 5))
      await run(grant(userId, "gift:1", 5, "grant"))
      const bought = await run(ledger.history({ userId, limit: 10, offset: 0, type: "topup" }))
      expect(bought).toMatchObject({ total: 1, transactions: [{ reference: "topup:1" }] })
      for (const type of ["no such type", "", "\0", "\ud800"]) {
        const unknown = await run(ledger.history({ userId, limit: 10, offset: 0, type }))
        expect(unknown).toEqual({ transactions: [], total: 0, next: undefined })
      }
    })

    it("returns the same page as a cut of the whole list, for any limit, offset, type and beginning", async () => {
      const userId = await openUser(100)
      const types = Array.from({ length: 150 }, (_, index) =>
        index % 5 === 3 ? ("grant" as const) : ("topup" as const)
      )
      const written = types.map((type, index) => grant(userId, `${type}:${index}`, index + 1, type))
      await run(Effect.all(written, { concurrency: "unbounded" }))
      const all = await rows(userId)
      const asked = fc.record({
        limit: fc.integer({ min: 1, max: 70 }),
        offset: fc.oneof(fc.nat(10), fc.nat(200)),
        type: fc.constantFrom(undefined, "topup", "grant", "reset"),
        upto: fc.option(fc.nat(160), { nil: undefined })
      })
      const isRight = fc.asyncProperty(asked, async ({ limit, offset, type, upto }) => {
        const matching = all.filter((row) => type === undefined || row.type === type)
        const from = Math.max(0, matching.length - (upto ?? Infinity)) + offset
        const older = matching.length - from - limit
        expect(await run(ledger.history({ userId, limit, offset, type, upto }))).toEqual({
          transactions: matching.slice(from, from + limit),
          total: matching.length,
          next: older > 0 ? older : undefined
        })
      })
      await fc.assert(isRight, { numRuns: 60 })
    })

    it("pages that follow each other repeat and miss nothing, and count at once, while transactions are written", async () => {
      const userId = await openUser(100)
      for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        await run(grant(userId, `topup:${number}`, 1, number % 3 === 0 ? "grant" : "topup"))
      }
      const before = await rows(userId)
      const writing = Effect.forEach(
        Array.from({ length: 40 }),
        (_, index) => grant(userId, `later:${index}`, 1, index % 2 === 0 ? "grant" : "topup"),
        { concurrency: 4, discard: true }
      )
      const readAll = (type: string | undefined) =>
        Effect.gen(function* () {
          const found: Array<Transaction> = []
          let upto: number | undefined = before.filter((row) => type === undefined || row.type === type).length
          while (upto !== undefined && found.length <= before.length) {
            const page: HistoryPage = yield* ledger.history({ userId, limit: 2, offset: 0, type, upto })
            found.push(...page.transactions)
            upto = page.next
            const newest = yield* ledger.history({ userId, limit: 1, offset: 0, type: undefined })
            expect(newest.transactions[0]?.id).toBe(String(newest.total))
          }
          return found
        })
      const [all, bought] = await run(
        Effect.all([readAll(undefined), readAll("topup"), writing], { concurrency: "unbounded" })
      )
      expect(all).toEqual(before)
      expect(bought).toEqual(before.filter(({ type }) => type === "topup"))
    })

    it("shows no rows of other users", async () => {
      const userId = await openUser(100)
      const other = await openUser(100)
      await run(grant(other, "topup:1", 5))
      expect((await rows(userId)).map(({ type }) => type)).toEqual(["reset"])
    })
  })
}
