import type { TierName } from "../../tiers/Tier.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { type Journal, post } from "./journal.ts"
import type { LedgerAccount } from "./LedgerState.ts"

/** A period that begins, with the tier and the allowance it has. Times in Unix milliseconds. */
export interface NewPeriod {
  readonly tier: TierName
  readonly allowance: number
  readonly start: number
  readonly end: number
}

/** An account in its new period, and what that gave and took. */
export interface BegunPeriod {
  readonly journal: Journal
  /** Given, what repaid debt included. */
  readonly granted: number
  readonly repaid: number
  readonly expired: number
}

/**
 * Begins a period: what was free of the old allowance expires, the new one repays debt first, and what open holds have
 * set aside of the old one stays with them until they end. Top-ups are not touched. No account gets more than it can hold.
 */
export const beginPeriod = (
  account: LedgerAccount,
  { tier, allowance, start, end }: NewPeriod,
  reference: string,
  at: number
): BegunPeriod => {
  const expired = account.allowance - account.heldAllowance
  const repaid = Math.min(account.debt, allowance)
  const added = Math.min(allowance - repaid, MAX_CREDITS - account.heldAllowance - account.topup)
  const renewed = {
    ...account,
    tier,
    pendingTier: undefined,
    periodStart: start,
    nextResetAt: end,
    periodCredits: allowance
  }
  const journal = post(
    { account: renewed, transactions: [] },
    { type: "reset", amount: added + repaid - expired, allowance: added - expired, topup: 0, reference, at }
  )
  return { journal, granted: added + repaid, repaid, expired }
}
