import { Effect } from "effect"
import type { CreditRecords } from "../../credits/CreditLedger.ts"
import type { Transaction } from "../../credits/Transaction.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { keysOfPast, type PastPeriod, type UsedCredits } from "../decide/pastPeriods.ts"

/** The number of rows in one read. */
const PAGE = 200

/** The longest time by which a row may precede the start of its period, because clocks differ. */
const SKEW_MS = 86_400_000

/** The credits of the allowance that a row used: changes of the plan and corrections of its credits are no use. */
const usedBy = ({ allowanceAmount, charge, reference, type }: Transaction): number =>
  (type === "refund" && charge === undefined) || reference.startsWith("plan:") ? 0 : 0 - allowanceAmount

/** The credits that repaid debt in the row that begins a period: they are used at once. */
const repaidBy = ({ allowanceAmount, amount, topupAmount }: Transaction): number =>
  amount - allowanceAmount - topupAmount

/** A row that records new dates of a period whose allowance was granted before. */
const isMove = ({ reference }: Transaction): boolean => reference.startsWith("moved:")

/**
 * The used credits of periods that are over, by the rows of the account: between the row that began each and the row that
 * began the next. Reads the newest rows as far back as the first of the periods.
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
