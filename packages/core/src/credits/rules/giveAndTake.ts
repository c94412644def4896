import { Result } from "effect"
import { freeOf, splitGrant, takeFrom } from "./buckets.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { InvalidAmount } from "../errors.ts"
import { type Journal, post, type Posting } from "./journal.ts"
import type { LedgerAccount } from "./LedgerState.ts"

type Reason = Pick<Posting, "type" | "reference" | "at" | "charge">

/** Puts credits in: they repay debt first, the rest goes to the top-ups. */
export const give = (account: LedgerAccount, amount: number, reason: Reason): Result.Result<Journal, InvalidAmount> => {
  const { added } = splitGrant(account, amount)
  if (added > MAX_CREDITS - account.allowance - account.topup) {
    return Result.fail(new InvalidAmount({ reason: `an account holds at most ${MAX_CREDITS} credits` }))
  }
  return Result.succeed(post({ account, transactions: [] }, { ...reason, amount, allowance: 0, topup: added }))
}

/**
 * Takes credits back: from the free top-ups, then from the free allowance, never from open holds. What is not there is
 * debt: to forget it would be to give it away.
 */
export const clawBack = (
  account: LedgerAccount,
  amount: number,
  reason: Reason
): Result.Result<Journal, InvalidAmount> => {
  const free = freeOf(account)
  const topup = Math.min(free.topup, amount)
  const { allowance } = takeFrom({ allowance: free.allowance, topup: 0 }, amount - topup)
  if (amount - topup - allowance > MAX_CREDITS - account.debt) {
    return Result.fail(new InvalidAmount({ reason: `an account owes at most ${MAX_CREDITS} credits` }))
  }
  return Result.succeed(
    // Plus zero: nothing taken is 0, not -0.
    post({ account, transactions: [] }, { ...reason, amount: 0 - amount, allowance: 0 - allowance, topup: 0 - topup })
  )
}
