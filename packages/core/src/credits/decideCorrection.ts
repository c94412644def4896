import { Result } from "effect"
import {
  type AdjustInput,
  disputeKey,
  type DisputeInput,
  type ChargedPurchase,
  refundKey,
  type RefundInput
} from "./Correction.ts"
import type { Decision, Operation } from "./LedgerState.ts"
import { decideOnce, type OnceRefusal } from "./decideOnce.ts"
import { InvalidAmount } from "./errors.ts"
import { give, takeBack } from "./giveAndTake.ts"
import type { Transaction } from "./Transaction.ts"

/** A transaction that took credits of a charge back, or gave them back. */
export type EarlierRefund = Pick<Transaction, "reference" | "amount">

type Correction = Operation<Transaction, OnceRefusal>

const invalid = (reason: string): Decision<never, InvalidAmount> => ({
  answer: Result.fail(new InvalidAmount({ reason })),
  changes: undefined
})

const isWhole = (value: number, minimum: number) => Number.isSafeInteger(value) && value >= minimum

const wrongPurchase = ({ granted, paid }: ChargedPurchase, part: number): string | undefined => {
  if (!isWhole(granted, 1)) return "what was granted must be a whole number of credits, 1 or more"
  if (!isWhole(paid, 1)) return "what was paid must be a whole number, 1 or more"
  return isWhole(part, 0) && part <= paid ? undefined : "no more than was paid can be taken back"
}

/** The credits that `part` of the price bought: `floor(granted * part / paid)`. */
const creditsFor = ({ granted, paid }: ChargedPurchase, part: number): number =>
  Number((BigInt(granted) * BigInt(part)) / BigInt(paid))

const takenBy = (rows: ReadonlyArray<EarlierRefund>): number => rows.reduce((sum, row) => sum - row.amount, 0)

const isDispute = ({ reference }: EarlierRefund) => /:(withdrawn|reinstated)$/.test(reference)

/**
 * Takes back what the refunded part of a purchase had bought. `refunded` is cumulative: what earlier refunds took is
 * counted, in whatever order they come; disputes are counted beside them, and never is more taken than was granted.
 * `earlier` are the charge's refunds and disputes so far, read under the account's lock.
 */
export const refundOperation = (input: RefundInput, earlier: ReadonlyArray<EarlierRefund>): Correction => ({
  name: "refund",
  userId: input.userId,
  key: refundKey(input),
  decide: (view, now) => {
    const wrong = wrongPurchase(input, input.refunded)
    if (wrong !== undefined) return invalid(wrong)
    const due = creditsFor(input, input.refunded) - takenBy(earlier.filter((row) => !isDispute(row)))
    const left = input.granted - takenBy(earlier)
    const amount = Math.max(0, Math.min(due, left))
    const key = refundKey(input)
    return decideOnce(view, {
      userId: input.userId,
      key,
      content: `refund ${input.granted} ${input.paid}`,
      now,
      post: (account) => takeBack(account, amount, { type: "refund", reference: key, at: now })
    })
  }
})

/**
 * Takes back what the disputed part of a purchase had bought when the dispute begins, and gives exactly that back when
 * it is won. A dispute that is told to begin after it was won takes nothing.
 */
export const disputeOperation = (input: DisputeInput, earlier: ReadonlyArray<EarlierRefund>): Correction => ({
  name: "dispute",
  userId: input.userId,
  key: disputeKey(input),
  decide: (view, now) => {
    const wrong = wrongPurchase(input, input.disputed)
    if (wrong !== undefined) return invalid(wrong)
    const key = disputeKey(input)
    const reason = { type: "refund", reference: key, at: now } as const
    const find = (funds: DisputeInput["funds"]) =>
      earlier.filter(({ reference }) => reference === disputeKey(input, funds))
    const left = input.granted - takenBy(earlier)
    const taken = find("reinstated").length > 0 ? 0 : Math.max(0, Math.min(creditsFor(input, input.disputed), left))
    return decideOnce(view, {
      userId: input.userId,
      key,
      content: `dispute ${input.granted} ${input.paid} ${input.disputed}`,
      now,
      post: (account) =>
        input.funds === "withdrawn"
          ? takeBack(account, taken, reason)
          : give(account, takenBy(find("withdrawn")), reason)
    })
  }
})

/** An operator's correction, with a reason. */
export const adjustOperation = (input: AdjustInput): Correction => ({
  name: "adjust",
  userId: input.userId,
  key: input.key,
  decide: (view, now) => {
    const { userId, key, amount, reason } = input
    if (!Number.isSafeInteger(amount) || amount === 0) return invalid("it must be a whole number of credits, not zero")
    const posting = { type: "adjustment", reference: key, at: now } as const
    return decideOnce(view, {
      userId,
      key,
      content: `adjustment ${amount} ${reason}`,
      now,
      post: (account) => (amount > 0 ? give(account, amount, posting) : takeBack(account, -amount, posting))
    })
  }
})
