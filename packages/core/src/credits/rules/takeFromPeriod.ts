import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { AccountNotFound, InvalidAmount } from "../errors.ts"
import type { Transaction } from "../Transaction.ts"
import { freeOf, splitGrant } from "./buckets.ts"
import { decideOnce, type OnceRefusal } from "./decideOnce.ts"
import { type Journal, post } from "./journal.ts"
import type { Decision, LedgerAccount, Operation } from "./LedgerState.ts"

export interface TakeFromPeriodInput {
  readonly userId: UserId
  readonly key: string
  /** Which period's allowance it is about, in Unix milliseconds. */
  readonly periodStart: number
  /** Whole credits: taken where it is above zero, given back where it is below. */
  readonly amount: number
}

/** The transaction that moved something; undefined where nothing was left, or another period runs. */
export type TakenFromPeriod = Transaction | undefined

const moved = (account: LedgerAccount, taken: number, reference: string, at: number): Journal => {
  const allowance = taken > 0 ? 0 - taken : splitGrant(account, 0 - taken).added
  return post({ account, transactions: [] }, { type: "refund", amount: 0 - taken, allowance, topup: 0, reference, at })
}

/**
 * Takes credits out of the allowance of the period that runs, at most what is free of it, or gives back what was taken
 * so. What an earlier period gave has expired: nothing of another one is taken.
 */
export const takeFromPeriodOperation = (input: TakeFromPeriodInput): Operation<TakenFromPeriod, OnceRefusal> => ({
  name: "takeFromPeriod",
  userId: input.userId,
  reads: { key: input.key },
  decide: (view, now): Decision<TakenFromPeriod, OnceRefusal> => {
    const { amount, key, periodStart, userId } = input
    const { account, open, record } = view
    if (account === undefined) return { answer: Result.fail(new AccountNotFound({ userId })), changes: undefined }
    const isNew = open === undefined && record === undefined
    const taken = Math.min(freeOf(account).allowance, amount)
    if (isNew && (account.periodStart !== periodStart || taken === 0)) {
      return { answer: Result.succeed(undefined), changes: undefined }
    }
    return decideOnce(view, {
      userId,
      key,
      fingerprint: `period ${periodStart} ${amount}`,
      now,
      post: (before) => {
        if (!Number.isSafeInteger(amount)) {
          return Result.fail(new InvalidAmount({ reason: "it must be a whole number of credits" }))
        }
        return 0 - taken > MAX_CREDITS - before.allowance - before.topup
          ? Result.fail(new InvalidAmount({ reason: `an account holds at most ${MAX_CREDITS} credits` }))
          : Result.succeed(moved(before, taken, key, now))
      }
    })
  }
})
