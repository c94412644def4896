import { ownerOfEvent } from "../../events/ParleyEvent.ts"
import { Effect } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { Outbox } from "../../events/Outbox.ts"
import type { Run } from "../suiteOn.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { chargeOf, claimed, LOW_BELOW, newAccount, type OutboxWorld, subscribed } from "./outboxFixtures.ts"

/** Changes of a balance: credits that are granted or taken. */
const moves = fc.array(
  fc.integer({ min: -40, max: 40 }).filter((amount) => amount !== 0),
  {
    minLength: 1,
    maxLength: 12
  }
)

/** Returns the balances that must be reported: each balance below the threshold after one that was not. */
const expected = (first: number, amounts: ReadonlyArray<number>): ReadonlyArray<number> => {
  const told: Array<number> = []
  let [balance, wasLow] = [first, false]
  for (const amount of [0, ...amounts]) {
    balance += amount
    const isLow = balance < LOW_BELOW.free
    if (isLow && !wasLow) told.push(balance)
    wasLow = isLow
  }
  return told
}

/** Tests the events about low balances. */
export const outboxLowBalances = (run: Run<OutboxWorld>): void => {
  it("a low balance is reported once for each fall below the threshold, by any change", () =>
    run(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const destination = yield* subscribed("balance.low")
        for (const amounts of fc.sample(moves, { numRuns: 12, seed: 20_261_122 })) {
          const userId = yield* newAccount(60)
          const done: Array<number> = []
          let balance = 60
          for (const [index, amount] of amounts.entries()) {
            if (balance + amount < 0) continue
            balance += amount
            done.push(amount)
            const key = `move:${index}`
            if (amount > 0) yield* ledger.grant({ userId, key, type: "grant", amount })
            else if (index % 2 === 0) yield* chargeOf(userId, key, -amount)
            else yield* ledger.adjust({ userId, key, amount, reason: "a test" })
          }
          const told = yield* claimed(destination)
          const lows = told.map(({ data }) => ("balance" in data ? data.balance : Number.NaN))
          expect(
            lows.toSorted((a, b) => a - b),
            JSON.stringify(done)
          ).toEqual(expected(60, done).toSorted((a, b) => a - b))
          expect(told.every(({ data }) => ownerOfEvent(data) === userId)).toBe(true)
        }
      })
    ))

  it("an account that opens below the threshold is reported at once, and one of a tier without a threshold never", () =>
    run(
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const destination = yield* subscribed("balance.low")
        const userId = yield* newAccount(10)
        yield* ledger.open({ userId: newUserId(), tier: "business", allowance: 10 })
        const told = yield* claimed(destination)
        expect(told.map(({ data }) => ownerOfEvent(data))).toEqual([userId])
      })
    ))

  it("if thresholds differ between processes, the highest counts, in any order of requests and for any destination", () =>
    run(
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const ledger = yield* testedLedger
        const tier = `tier ${newUserId()}`.slice(0, 50)
        const [one, other] = [yield* subscribed("balance.low"), yield* subscribed("balance.low")]
        const ask = (id: string, threshold: number) =>
          outbox.subscribe({ destinations: [{ id, types: ["balance.low"] }], lowBelow: { [tier]: threshold } })
        const tellsOf = Effect.fnUntraced(function* (balance: number) {
          yield* ledger.open({ userId: newUserId(), tier, allowance: balance })
          const told = [...(yield* claimed(one)), ...(yield* claimed(other))]
          return told.map(({ data }) => ("threshold" in data ? data.threshold : Number.NaN))
        })
        yield* ask(one, 70)
        yield* ask(one, 90)
        yield* ask(one, 80)
        expect(yield* tellsOf(89)).toEqual([90, 90])
        yield* ask(other, 95)
        yield* ask(one, 70)
        expect(yield* tellsOf(94)).toEqual([95, 95])
        expect(yield* tellsOf(95)).toEqual([])
      })
    ))

  it("charges that are committed together report one crossing once", () =>
    run(
      Effect.gen(function* () {
        const destination = yield* subscribed("balance.low")
        const userId = yield* newAccount(60)
        const charges = Array.from({ length: 20 }, (_, index) => chargeOf(userId, `reply:${index}`, 2))
        yield* Effect.all(charges, { concurrency: "unbounded" })
        expect((yield* claimed(destination)).map(({ data }) => data)).toEqual([
          { account: userId, balance: 48, threshold: LOW_BELOW.free, tier: "free" }
        ])
      })
    ))
}
