import { Effect } from "effect"
import { expect, it } from "vitest"
import { resetAll } from "../credits/resetAll.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import type { Run } from "../suiteOn.ts"
import { claimed, newAccount, type OutboxWorld, subscribed } from "./outboxFixtures.ts"

const DAY_MS = 86_400_000

/** Tests the events about purchases, refunds and plans. */
export const outboxPayments = (run: Run<OutboxWorld>): void => {
  it("a purchase makes one event, and so does each refund of it and each return", () =>
    run(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("credits.purchased", "credits.refunded")
        const bought = { userId, key: "topup:cs_1", type: "topup", amount: 300 } as const
        const payment = { charge: "pi_1", paid: 1_000 }
        yield* ledger.grant({ ...bought, payment })
        yield* ledger.grant({ ...bought, payment })
        yield* ledger.grant({ userId, key: "topup:cs_free", type: "topup", amount: 7 })
        yield* ledger.grant({ userId, key: "gift", type: "grant", amount: 5 })
        const report = { userId, granted: 300, ...payment }
        yield* ledger.refund({ ...report, refunded: 500, reportedAt: 1 })
        yield* ledger.refund({ ...report, refunded: 500, reportedAt: 2 })
        yield* ledger.refund({ ...report, refunded: 0, reportedAt: 3 })
        const { periodStart } = yield* ledger.account(userId)
        yield* ledger.takeFromPeriod({ userId, key: "refund:plan:evt_1", periodStart, amount: 40, beyond: 0 })
        const told = yield* claimed(destination)
        const ofPayment = { account: userId, payment: "pi_1" }
        const expected = [
          ["credits.purchased", { ...ofPayment, credits: 300, balance: 400, key: "topup:cs_1" }],
          ["credits.purchased", { account: userId, credits: 7, balance: 407, key: "topup:cs_free" }],
          ["credits.refunded", { ...ofPayment, credits: 150, balance: 262, key: "refund:pi_1:500" }],
          ["credits.refunded", { ...ofPayment, credits: -150, balance: 412, key: "refund:pi_1:0" }],
          ["credits.refunded", { account: userId, credits: 40, balance: 372, key: "refund:plan:evt_1" }]
        ]
        expect(told).toHaveLength(expected.length)
        expect(told.map(({ data, type }) => [type, data])).toEqual(expect.arrayContaining(expected))
      })
    ))

  it("a change of plan makes one event when it takes effect, for every cause, and an unchanged plan makes none", () =>
    run(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("plan.changed")
        const start = (yield* ledger.account(userId)).periodStart
        const subscribes = {
          _tag: "Subscribed",
          key: "first:sub_1",
          allowance: 5_000,
          start,
          renewedBy: "schedule"
        } as const
        yield* ledger.changeTier(userId, { ...subscribes, tier: "business" })
        yield* ledger.grant({ userId, key: "gift", type: "grant", amount: 5 })
        yield* ledger.changeTier(userId, { _tag: "Lowered", key: "plan:1", tier: "pro", lowest: "free" })
        const changes = Effect.map(claimed(destination), (told) => told.map(({ data, type }) => [type, data]))
        expect(yield* changes).toEqual([["plan.changed", { account: userId, tier: "business", previousTier: "free" }]])
        const { nextResetAt } = yield* ledger.account(userId)
        const allowances = { free: 100, pro: 1_000, business: 5_000 }
        yield* resetAll(ledger, { asOf: nextResetAt + DAY_MS, allowances })
        expect(yield* changes).toEqual([["plan.changed", { account: userId, tier: "pro", previousTier: "business" }]])
      })
    ))
}
