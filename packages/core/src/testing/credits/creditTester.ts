import { Effect, Result } from "effect"
import { expect } from "vitest"
import { balanceOf } from "../../credits/Account.ts"
import type { UserId } from "../../identity/UserId.ts"
import { receiptDraft } from "./creditFixtures.ts"
import type { TestedLedger } from "./testedLedger.ts"

export const newUser = (): UserId => `user-${crypto.randomUUID()}`

/** Runs an effect of the ledger; rejects with its failure. */
export const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)

/** Returns the name of the failure with which an effect ends. */
export const tagOf = async (effect: Effect.Effect<unknown, { readonly _tag: string }>): Promise<string> => {
  const result = await run(Effect.result(effect))
  return Result.isFailure(result) ? result.failure._tag : "succeeded"
}

/** Short calls to a ledger, which need not be open yet when the tests are defined. */
export const creditTester = (opened: () => TestedLedger) => {
  const ledger = new Proxy({} as TestedLedger, { get: (_, name) => Reflect.get(opened(), name) as unknown })
  const openUser = async (allowance: number): Promise<UserId> => {
    const userId = newUser()
    await run(ledger.open({ userId, tier: "free", allowance }))
    return userId
  }
  const grant = (userId: UserId, key: string, amount: number, type: "topup" | "grant" = "topup") =>
    ledger.grant({ userId, key, type, amount })
  const settle = (userId: UserId, key: string, amount: number) =>
    ledger.settle({ userId, key, amount, draft: receiptDraft })
  /** Takes credits by hand, which is the way in which an account gets a debt. */
  const take = (userId: UserId, key: string, amount: number) =>
    ledger.adjust({ userId, key, amount: -amount, reason: "taken by a test" })
  const balance = (userId: UserId) => run(Effect.map(ledger.account(userId), balanceOf))
  const rows = async (userId: UserId) =>
    (await run(ledger.history({ userId, limit: 200, offset: 0, type: undefined }))).transactions

  /** Checks that the transactions explain the buckets, and that their numbers have no gaps. */
  const expectSound = async (userId: UserId): Promise<void> => {
    const { allowance, topup, debt } = await balance(userId)
    const all = await rows(userId)
    const sum = (of: (row: (typeof all)[number]) => number) => all.reduce((total, row) => total + of(row), 0)
    expect(sum((row) => row.amount)).toBe(allowance + topup - debt)
    expect(sum((row) => row.allowanceAmount)).toBe(allowance)
    expect(sum((row) => row.topupAmount)).toBe(topup)
    expect(all[0]?.balanceAfter).toBe(allowance + topup - debt)
    expect(all.map((row) => Number(row.id))).toEqual(all.map((_, index) => all.length - index))
  }
  /** Waits until the ledger's clock has passed a time, in Unix milliseconds. */
  const outlive = (moment: number) =>
    Effect.gen(function* () {
      while ((yield* ledger.now) <= moment) yield* Effect.yieldNow
    })
  /** Ends all holds that have expired. */
  const sweepAll = Effect.gen(function* () {
    for (;;) {
      const { charged, released } = yield* ledger.sweep({ limit: 50 })
      if (charged + released === 0) return
    }
  })
  return { ledger, openUser, outlive, sweepAll, grant, settle, take, balance, rows, expectSound }
}

export type CreditTester = ReturnType<typeof creditTester>
