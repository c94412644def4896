import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { adjust, dispute, refund, grant } from "../../src/credits/rules/grantsAndCorrections.ts"
import { openAccount } from "../../src/credits/rules/openAndClose.ts"
import { decideAll, type LoadedAccount, NO_ACCOUNT } from "../../src/credits/rules/decideAll.ts"
import { release, reserve, settle } from "../../src/credits/rules/decideHold.ts"
import { post } from "../../src/credits/rules/journal.ts"
import type { IdempotencyRecord, OpenHold, Operation, Refusal } from "../../src/credits/rules/LedgerState.ts"
import type { Transaction } from "../../src/credits/Transaction.ts"
import { receiptDraft, reservation } from "../../src/testing/credits/creditFixtures.ts"

const USER = "user-1"
const MONTH = 31 * 24 * 3600 * 1000
type AnyOperation = Operation<unknown, Refusal>
const NOW = 0
/** The operation, decided at a time of its own, independent of the others in the same commit. */
const at = (now: number, operation: AnyOperation): AnyOperation => ({
  ...operation,
  decide: (view) => operation.decide(view, now)
})

/** A stored account, as a ledger would keep it. */
interface Stored extends LoadedAccount {
  readonly transactions: ReadonlyArray<Transaction>
}
const NOTHING: Stored = { ...NO_ACCOUNT, transactions: [] }

const commit = (stored: Stored, operations: ReadonlyArray<AnyOperation>) => {
  const { answers, changes } = decideAll(stored, operations, NOW)
  if (changes === undefined) return { answers, stored }
  const holds = new Map<string, OpenHold>(stored.holds)
  const records = new Map<string, IdempotencyRecord>(stored.records)
  for (const key of changes.closed) expect(holds.delete(key), "a hold that is closed was stored").toBe(true)
  for (const open of changes.opened) {
    expect(holds.has(open.hold.key), "a hold that is opened was not stored").toBe(false)
    holds.set(open.hold.key, open)
  }
  for (const record of changes.records) {
    expect(records.has(record.key), "a key is used once").toBe(false)
    records.set(record.key, record)
  }
  const purchases = new Map(stored.purchases)
  for (const purchase of changes.purchases) purchases.set(purchase.charge, purchase)
  const transactions = [...stored.transactions, ...changes.transactions]
  expect(changes.account.version).toBe((stored.account?.version ?? 0) + 1)
  return { answers, stored: { account: changes.account, holds, records, purchases, transactions } }
}

/** The next period: the free part of the allowance is replaced, and holds keep the credits that they set aside. */
const renewOperation = (allowance: number, now: number): AnyOperation => ({
  name: "renew",
  userId: USER,
  reads: {},
  decide: ({ account }) => {
    if (account === undefined) return { answer: Result.succeed(undefined), changes: undefined }
    const repaid = Math.min(account.debt, allowance)
    const change = allowance - repaid - (account.allowance - account.heldAllowance)
    const renewed = { ...account, periodStart: now, nextResetAt: now + MONTH }
    const journal = post(
      { account: renewed, transactions: [] },
      { type: "reset", amount: change + repaid, allowance: change, topup: 0, reference: `renewed:${now}`, at: now }
    )
    return {
      answer: Result.succeed(undefined),
      changes: { ...journal, opened: [], closed: [], records: [], purchases: [] }
    }
  }
})

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)

/** Everything that must be true of an account at any moment. */
const expectSound = ({ account, holds, records, transactions }: Stored) => {
  if (account === undefined) return expect(transactions).toEqual([])
  const { allowance, topup, debt, heldAllowance, heldTopup } = account
  for (const amount of [allowance, topup, debt, heldAllowance, heldTopup]) expect(amount).toBeGreaterThanOrEqual(0)
  expect(heldAllowance).toBeLessThanOrEqual(allowance)
  expect(heldTopup).toBeLessThanOrEqual(topup)
  if (debt > 0) expect([heldAllowance, heldTopup]).toEqual([allowance, topup])
  expect(sum(transactions.map((row) => row.amount))).toBe(allowance + topup - debt)
  expect(sum(transactions.map((row) => row.allowanceAmount))).toBe(allowance)
  expect(sum(transactions.map((row) => row.topupAmount))).toBe(topup)
  expect(transactions.map((row) => row.id)).toEqual(transactions.map((_, index) => String(index + 1)))
  expect(transactions.map((row) => row.balanceAfter)).toEqual(
    transactions.map((_, index) => sum(transactions.slice(0, index + 1).map((row) => row.amount)))
  )
  const open = [...holds.values()].map(({ hold }) => hold)
  expect(sum(open.map(({ from }) => from.allowance))).toBe(heldAllowance)
  expect(sum(open.map(({ from }) => from.topup))).toBe(heldTopup)
  expect(open.filter(({ key }) => records.has(key))).toEqual([])
}

const keys = fc.constantFrom("reply:1", "reply:2", "reply:3", "topup:1", "topup:2")
const amounts = fc.integer({ min: 1, max: 60 })
/** Operations by their place in the sequence, which is their time and names their call. */
const steps: fc.Arbitrary<(place: number) => AnyOperation> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .nat(50)
      .map((allowance) => (now: number) => at(now, openAccount({ userId: USER, tier: "free", allowance })))
  },
  {
    weight: 5,
    arbitrary: fc.tuple(keys, amounts, fc.boolean()).map(
      ([key, amount, shrinks]) =>
        (now: number) =>
          at(now, reserve(reservation(USER, key, amount, shrinks ? { minimumAmount: 1 } : {}), `call ${now}`))
    )
  },
  {
    weight: 4,
    arbitrary: fc.tuple(keys, fc.nat(90)).map(
      ([key, amount]) =>
        (now: number) =>
          at(now, settle({ userId: USER, key, amount, draft: receiptDraft }))
    )
  },
  { weight: 2, arbitrary: keys.map((key) => (now: number) => at(now, release({ userId: USER, key }))) },
  {
    weight: 2,
    arbitrary: fc.tuple(keys, amounts, fc.constantFrom("topup", "grant")).map(
      ([key, amount, type]) =>
        (now: number) =>
          at(now, grant({ userId: USER, key, type, amount }))
    )
  },
  {
    weight: 2,
    arbitrary: amounts.map(
      (amount) => (now: number) =>
        at(now, adjust({ userId: USER, key: `adjustment:${now}`, amount: -amount, reason: "a test" }))
    )
  },
  { weight: 1, arbitrary: fc.nat(50).map((allowance) => (now: number) => renewOperation(allowance, now)) }
)
const charges = fc.constantFrom("ch_1", "ch_2")
/** A purchase for 100, of 30 credits, and reports of its refund and of two disputes, old and new ones. */
const correctionSteps: typeof steps = fc.oneof(
  fc.tuple(charges, fc.constantFrom("buy:1", "buy:2")).map(
    ([charge, key]) =>
      (now: number) =>
        at(now, grant({ userId: USER, key, type: "topup", amount: 30, payment: { charge, paid: 100 } }))
  ),
  fc.tuple(charges, fc.constantFrom(0, 10, 55, 100), fc.nat(3)).map(
    ([charge, refunded, reportedAt]) =>
      (now: number) =>
        at(now, refund({ userId: USER, charge, granted: 30, paid: 100, refunded, reportedAt }))
  ),
  fc
    .record({
      charge: charges,
      dispute: fc.constantFrom("dp_1", "dp_2"),
      disputed: fc.constantFrom(40, 100),
      funds: fc.constantFrom("withdrawn", "reinstated"),
      reportedAt: fc.nat(3)
    })
    .map((reported) => (now: number) => at(now, dispute({ userId: USER, granted: 30, paid: 100, ...reported })))
)
const sequences = fc
  .array(fc.oneof({ weight: 3, arbitrary: steps }, { weight: 1, arbitrary: correctionSteps }), {
    minLength: 1,
    maxLength: 40,
    size: "max"
  })
  .map((made) => [
    at(0, openAccount({ userId: USER, tier: "free", allowance: 40 })),
    ...made.map((step, place) => step(place + 1))
  ])

/** The content of an answer, errors by name, so that two runs can be compared. */
const outcomes = (answers: ReadonlyArray<Result.Result<unknown, Refusal>>) =>
  answers.map((answer) => (Result.isSuccess(answer) ? answer.success : answer.failure._tag))

const refusals = new Set<unknown>([
  "AccountNotFound",
  "HoldNotFound",
  "KeyConflict",
  "InvalidAmount",
  "PurchaseConflict",
  "PurchaseNotFound"
])

/** Tries this number of sequences of operations, and half as many in commits of several. */
export const decisionLaws = (sequencesTried: number): void => {
  describe("decisions about credits", () => {
    it("keep every account sound after every operation of any sequence, also over periods that end", () => {
      let expired = 0
      let repaid = 0
      fc.assert(
        fc.property(sequences, (operations) => {
          let stored = NOTHING
          for (const operation of operations) {
            stored = commit(stored, [operation]).stored
            expectSound(stored)
          }
          expired += stored.transactions.filter(({ reference }) => reference.startsWith("expired:")).length
          repaid += stored.transactions.filter(({ reference }) => reference.startsWith("repaid:")).length
        }),
        { numRuns: sequencesTried }
      )
      expect(expired, "some sequence let a hold outlive its period").toBeGreaterThan(0)
      expect(repaid, "some sequence repaid a debt").toBeGreaterThan(0)
    })

    it("are the same for operations in one commit as for each in a commit of its own", () => {
      fc.assert(
        fc.property(
          sequences,
          fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 40, maxLength: 40 }),
          (operations, sizes) => {
            let alone = NOTHING
            const expected = operations.map((operation) => {
              const committed = commit(alone, [operation])
              alone = committed.stored
              return outcomes(committed.answers)[0]
            })
            let together = NOTHING
            const answers: Array<unknown> = []
            for (let from = 0, batch = 0; from < operations.length; batch += 1) {
              const committed = commit(together, operations.slice(from, from + (sizes[batch] ?? 1)))
              together = committed.stored
              answers.push(...outcomes(committed.answers))
              from += sizes[batch] ?? 1
            }
            expect(answers).toEqual(expected)
            const withoutVersion = ({ account, ...rest }: Stored) => ({ ...rest, account: { ...account, version: 0 } })
            expect(withoutVersion(together)).toEqual(withoutVersion(alone))
          }
        ),
        { numRuns: sequencesTried / 2 }
      )
    })

    it("answer a repeated call as they did the first time, and change nothing", () => {
      fc.assert(
        fc.property(sequences, (operations) => {
          let stored = NOTHING
          for (const operation of operations) {
            const first = commit(stored, [operation])
            const [answer] = outcomes(first.answers)
            stored = first.stored
            if (operation.name === "renew" || refusals.has(answer)) continue
            const again = decideAll(stored, [operation], NOW)
            expect(outcomes(again.answers)).toEqual([answer])
            expect(again.changes).toBeUndefined()
          }
        })
      )
    })

    const opened = (allowance: number) =>
      commit(NOTHING, [openAccount({ userId: USER, tier: "free", allowance })]).stored
    const run = (stored: Stored, ...operations: ReadonlyArray<AnyOperation>) => {
      const committed = commit(stored, operations)
      expectSound(committed.stored)
      return committed.stored
    }
    const holdOf = (key: string, amount: number) => reserve(reservation(USER, key, amount), key)
    const charged = (key: string, amount: number) => settle({ userId: USER, key, amount, draft: receiptDraft })

    it("charge a hold of an ended period against what it reserved, and let the unused allowance expire", () => {
      const held = run(opened(100), holdOf("reply:1", 80), renewOperation(100, 2))
      expect(held.account).toMatchObject({ allowance: 180, heldAllowance: 80 })
      const settled = run(held, charged("reply:1", 30))
      expect(settled.account).toMatchObject({ allowance: 100, heldAllowance: 0, debt: 0 })
      expect(settled.transactions.slice(-2)).toMatchObject([
        { type: "usage", amount: -30, allowanceAmount: -30, balanceAfter: 150, reference: "reply:1" },
        { type: "reset", amount: -50, allowanceAmount: -50, balanceAfter: 100, reference: "expired:reply:1" }
      ])
    })

    it("give back what was bought, and let the allowance expire, when a hold of an ended period is released", () => {
      const bought = grant({ userId: USER, key: "topup:1", type: "topup", amount: 50 })
      const held = run(opened(100), bought, holdOf("reply:1", 120), renewOperation(100, 2))
      const released = run(held, release({ userId: USER, key: "reply:1" }))
      expect(released.account).toMatchObject({ allowance: 100, topup: 50, heldAllowance: 0, heldTopup: 0 })
      expect(released.transactions.at(-1)).toMatchObject({ type: "reset", amount: -100, reference: "expired:reply:1" })
    })

    it("never charge more than was held, at any price of a reply", () => {
      fc.assert(
        fc.property(amounts, fc.oneof(fc.nat(200), fc.constant(Number.MAX_SAFE_INTEGER)), (held, cost) => {
          const before = run(opened(100), holdOf("reply:1", held))
          const after = run(before, charged("reply:1", cost))
          const [row] = after.transactions.slice(-1)
          expect(row).toMatchObject({
            amount: 0 - Math.min(cost, held),
            receipt: { held, charged: Math.min(cost, held) }
          })
          expect(after.account).toMatchObject({ allowance: 100 - Math.min(cost, held), debt: 0 })
        })
      )
    })

    it("keep the allowance that a hold of the running period gives back", () => {
      const released = run(opened(100), holdOf("reply:1", 80), release({ userId: USER, key: "reply:1" }))
      expect(released.account).toMatchObject({ allowance: 100, heldAllowance: 0 })
      expect(released.transactions).toHaveLength(1)
    })

    it("store nothing of a hold that was opened and ended in the same commit but its key and its charge", () => {
      const { changes } = decideAll(opened(100), [holdOf("reply:1", 80), charged("reply:1", 30)], NOW)
      expect(changes).toMatchObject({ opened: [], closed: [], records: [{ key: "reply:1", hold: { amount: 80 } }] })
      expect(changes?.transactions).toMatchObject([{ amount: -30 }])
    })
  })
}
