import { Effect } from "effect"
import type { CreditRecords } from "../../credits/CreditLedger.ts"
import type { Transaction } from "../../credits/Transaction.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { keysOfPast, type PastPeriod, type UsedCredits } from "../decide/pastPeriods.ts"

/** The number of rows in one read. */
const PAGE = 200

/** Milliseconds by which a row may at most precede the start of its period, because clocks differ. */
const SKEW_MS = 86_400_000

/**
 * The allowance credits that a row spent; zero for changes of the plan and for corrections of its credits, which are no
 * spending.
 */
const usedBy = ({ allowanceAmount, charge, reference, type }: Transaction): number =>
  (type === "refund" && charge === undefined) || reference.startsWith("plan:") ? 0 : 0 - allowanceAmount

/** The credits that repaid debt in the row that begins a period: they count as spent at once. */
const repaidBy = ({ allowanceAmount, amount, topupAmount }: Transaction): number =>
  amount - allowanceAmount - topupAmount

/** Returns true for a row that records new dates of a period whose allowance was granted before. */
const isMove = ({ reference }: Transaction): boolean => reference.startsWith("moved:")

/**
 * The spent credits of past periods, from the rows of the account: in each period, the rows between the row that began
 * it and the row that began the next. Reads the rows from the newest back to the first of the periods.
 */
export const usedCredits = (
  records: CreditRecords["Service"],
  userId: UserId,
  past: ReadonlyArray<PastPeriod>
): Effect.Effect<UsedCredits, StorageFailed> =>
  Effect.gen(function* () {
    const keys = new Set(past.flatMap(keysOfPast))
    const from = Math.min(...past.map(({ start }) => start)) - SKEW_MS
    const used = new Map<string, number>()
    let sum = 0
    let upto: number | undefined
    do {
      const page = yield* records.history({ userId, limit: PAGE, offset: 0, type: undefined, upto })
      for (const row of page.transactions) {
        if (row.type === "reset" && !isMove(row)) {
          if (keys.has(row.reference)) used.set(row.reference, sum + repaidBy(row))
          sum = 0
        } else {
          sum += usedBy(row)
        }
      }
      const oldest = page.transactions.at(-1)
      upto = oldest !== undefined && oldest.createdAt >= from ? page.next : undefined
    } while (upto !== undefined)
    return used
  }).pipe(Effect.catchTag("AccountNotFound", () => Effect.succeed(new Map())))
