import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { AccountNotFound, InvalidAmount } from "../errors.ts"
import type { Transaction } from "../Transaction.ts"
import { freeOf, splitGrant, takeFrom } from "../Account.ts"
import { decideOnce, type OnceRefusal, type Journal, post } from "./journal.ts"
import type { Decision, LedgerAccount, Operation } from "./LedgerState.ts"

export interface TakeFromPeriodInput {
  readonly userId: UserId
  readonly key: string
  /** Unix milliseconds: the start of the period whose credits are taken or returned. */
  readonly periodStart: number
  /** Whole credits: positive to take, negative to return. */
  readonly amount: number
  /**
   * The part of the returned credits that had not been taken from that period's allowance. Zero if credits are taken.
   */
  readonly beyond: number
}

/** The transaction that moved credits; undefined if no credits moved. */
export type TakenFromPeriod = Transaction | undefined

/**
 * Takes from the allowance first, because it expires first, then from the top-ups, never from open holds. The missing
 * part becomes debt.
 */
const taken = (account: LedgerAccount, amount: number) => {
  const { allowance, topup } = takeFrom(freeOf(account), amount)
  return { amount: 0 - amount, allowance: 0 - allowance, topup: 0 - topup }
}

/**
 * Returns credits: debt is repaid first, beginning with the part that was taken beyond the allowance. The rest of that
 * part is added to the top-ups, because the allowance to which it may have belonged has expired. The part that was
 * taken from the allowance is lost if its period is over.
 */
const givenBack = (account: LedgerAccount, { amount, beyond, periodStart }: TakeFromPeriodInput) => {
  const allowance = account.periodStart === periodStart ? 0 - amount - beyond : 0
  const { repaid } = splitGrant(account, allowance + beyond)
  const topup = Math.max(0, beyond - repaid)
  return { amount: allowance + beyond, allowance: allowance + beyond - repaid - topup, topup }
}

const wrong = ({ amount, beyond }: TakeFromPeriodInput): string | undefined => {
  if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(beyond)) return "it must be a whole number of credits"
  return beyond < 0 || beyond > Math.max(0, -amount)
    ? "no more was taken beyond the allowance than is given back"
    : undefined
}

const moved = (
  account: LedgerAccount,
  input: TakeFromPeriodInput,
  at: number
): Result.Result<Journal, InvalidAmount> => {
  const refuse = (reason: string) => Result.fail(new InvalidAmount({ reason }))
  const reason = wrong(input)
  if (reason !== undefined) return refuse(reason)
  const change = input.amount > 0 ? taken(account, input.amount) : givenBack(account, input)
  if (change.allowance + change.topup > MAX_CREDITS - account.allowance - account.topup) {
    return refuse(`an account holds at most ${MAX_CREDITS} credits`)
  }
  if (change.allowance + change.topup - change.amount > MAX_CREDITS - account.debt) {
    return refuse(`an account owes at most ${MAX_CREDITS} credits`)
  }
  return Result.succeed(post({ account, transactions: [] }, { ...change, type: "refund", reference: input.key, at }))
}

/**
 * Takes back credits of a period that is no longer paid for, or returns credits that were taken back in this way. The
 * unspent allowance is taken first; the spent part becomes debt, as with bought credits.
 */
export const takeFromPeriod = (input: TakeFromPeriodInput): Operation<TakenFromPeriod, OnceRefusal> => ({
  name: "takeFromPeriod",
  userId: input.userId,
  reads: { key: input.key },
  decide: (view, now): Decision<TakenFromPeriod, OnceRefusal> => {
    const { amount, key, periodStart, userId } = input
    const { account, open, record } = view
    if (account === undefined) return { answer: Result.fail(new AccountNotFound({ userId })), changes: undefined }
    const isNew = open === undefined && record === undefined
    if (isNew && amount <= 0 && wrong(input) === undefined && givenBack(account, input).amount === 0) {
      return { answer: Result.succeed(undefined), changes: undefined }
    }
    return decideOnce(view, {
      userId,
      key,
      fingerprint: `period ${periodStart} ${amount}`,
      now,
      post: (before) => moved(before, input, now)
    })
  }
})
