import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openAccount } from "../../src/credits/rules/openAndClose.ts"
import { decideAll, type LoadedAccount, NO_ACCOUNT } from "../../src/credits/rules/decideAll.ts"
import type { IdempotencyRecord, Operation, Refusal } from "../../src/credits/rules/LedgerState.ts"
import { changeTier, type TierChange } from "../../src/credits/rules/tierChange.ts"
import type { Transaction } from "../../src/credits/Transaction.ts"

const USER = "user-1"
const DAY = 24 * 3_600_000
const PLANS = { free: 100, pro: 5_000, business: 20_000 }

interface Stored extends LoadedAccount {
  readonly transactions: ReadonlyArray<Transaction>
}

const commit = (stored: Stored, operation: Operation<unknown, Refusal>, now: number) => {
  const { answers, changes } = decideAll(stored, [operation], now)
  if (changes === undefined) return { answer: answers[0], stored }
  const records = new Map<string, IdempotencyRecord>(stored.records)
  for (const record of changes.records) records.set(record.key, record)
  const transactions = [...stored.transactions, ...changes.transactions]
  return { answer: answers[0], stored: { ...stored, account: changes.account, records, transactions } }
}

const opened = commit(
  { ...NO_ACCOUNT, transactions: [] },
  openAccount({ userId: USER, tier: "free", allowance: PLANS.free }),
  0
).stored

const paid = fc.constantFrom("pro" as const, "business" as const)
const ids = fc.integer({ min: 1, max: 6 })

/** Changes as a provider reports them, of a few subscriptions and events, and the day of the month of each report. */
const changes: fc.Arbitrary<TierChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ tier: paid, id: ids }).map(({ tier, id }) => raised(`up:${id}`, tier)) },
  {
    weight: 4,
    arbitrary: fc
      .record({ tier: paid, id: ids })
      .map(({ tier, id }): TierChange => ({ _tag: "Lowered", key: `down:${id}`, tier, lowest: "free" }))
  },
  {
    weight: 2,
    arbitrary: fc.record({ tier: paid, id: ids, start: fc.nat(27) }).map(({ tier, id, start }): TierChange => ({
      _tag: "Subscribed",
      key: `first:sub_${id}`,
      tier,
      allowance: PLANS[tier],
      start: start * DAY,
      renewedBy: "schedule"
    }))
  },
  {
    weight: 1,
    arbitrary: ids.map((id): TierChange => ({ _tag: "Ended", key: `end:${id}`, lowest: "free", allowance: PLANS.free }))
  },
  { weight: 1, arbitrary: ids.map((id): TierChange => ({ _tag: "PastDue", key: `past-due:${id}` })) }
)

const raised = (key: string, tier: "pro" | "business"): TierChange => ({
  _tag: "Raised",
  key,
  lowest: "free",
  tier,
  allowance: PLANS[tier]
})

/** Reported once or several times, in any order. */
const sequences = fc
  .array(changes, { minLength: 1, maxLength: 25, size: "max" })
  .chain((made) => fc.tuple(fc.constant(made), fc.shuffledSubarray(made)))
  .map(([made, again]) => [...made, ...again])

describe("changes of a plan", () => {
  it("grant in each period at most the credits of its most expensive plan, for any events in any order and number", () => {
    let reached = 0
    fc.assert(
      fc.property(sequences, (sequence) => {
        let stored: Stored = opened
        let given = PLANS.free
        let dearest = PLANS.free
        for (const [index, change] of sequence.entries()) {
          const before = stored
          const step = commit(before, changeTier(USER, change), index * 3_600_000)
          stored = step.stored
          const row = stored.transactions.length > before.transactions.length ? stored.transactions.at(-1) : undefined
          if (row === undefined) continue
          if (change._tag === "Subscribed" || change._tag === "Ended") {
            // Credits that exist when a period begins count as granted in it; the period's earlier ones are gone.
            given = stored.account?.allowance ?? 0
            dearest = change.allowance
          } else {
            given += row.amount
            if (change._tag === "Raised") dearest = Math.max(dearest, change.allowance)
          }
          expect(given).toBeLessThanOrEqual(dearest)
          if (given === PLANS.business) reached += 1
        }
      }),
      { numRuns: 2_000 }
    )
    expect(reached, "some sequence reached the dearest plan").toBeGreaterThan(0)
  })

  it("grant no person the credits of a period twice by raising and lowering it four times", () => {
    const subscribed: TierChange = {
      _tag: "Subscribed",
      key: "first:sub_1",
      tier: "pro",
      allowance: PLANS.pro,
      start: 0,
      renewedBy: "invoice"
    }
    const flips = [1, 2, 3, 4].flatMap((round): ReadonlyArray<TierChange> => [
      raised(`up:${round}`, "business"),
      { _tag: "Lowered", key: `down:${round}`, tier: "pro", lowest: "free" }
    ])
    const end = [subscribed, ...flips].reduce(
      (stored, change) => commit(stored, changeTier(USER, change), DAY).stored,
      opened
    )
    expect(end.account).toMatchObject({ allowance: PLANS.business, pendingTier: "pro" })
  })

  it("refuse reports for a subscription that has ended, so that no free person is raised or renewed as paid", () => {
    const { answer, stored } = commit(opened, changeTier(USER, raised("up:1", "business")), DAY)
    expect(Result.isFailure(answer as Result.Result<unknown, Refusal>)).toBe(true)
    expect(stored).toBe(opened)
  })
})
