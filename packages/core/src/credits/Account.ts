import type { TierName } from "../tiers/Tier.ts"
import type { UserId } from "../identity/UserId.ts"

/**
 * The credits in each bucket of an account, and the part of each that open holds have set aside. All in whole credits.
 */
export interface Buckets {
  /** Set again in each period; does not roll over. Includes the credits that open holds have set aside. */
  readonly allowance: number
  /** Credits that were bought or granted; they never expire. Includes those that open holds have set aside. */
  readonly topup: number
  /** Owed: refunds, disputes and corrections of credits already spent, never usage. Repaid first by the next credits. */
  readonly debt: number
  readonly heldAllowance: number
  readonly heldTopup: number
}

/** An account as the ledger keeps it. */
export interface Account extends Buckets {
  readonly userId: UserId
  readonly tier: TierName
  /** Unix milliseconds: what all period starts are computed from. */
  readonly anchor: number
  /** Unix milliseconds: start of the period the allowance belongs to. */
  readonly periodStart: number
  /** Unix milliseconds: when the next period begins. */
  readonly nextResetAt: number
  /**
   * The most that a plan grants in this period, over all its plans: a more expensive plan adds the difference. Whole
   * credits.
   */
  readonly periodCredits: number
  /**
   * The process that begins the period: the monthly job, or the paid invoice of a subscription, so that an unpaid one
   * grants nothing.
   */
  readonly renewedBy: RenewedBy
  /**
   * Unix milliseconds: from this time on the monthly job begins no period, since none is paid for; undefined if there
   * is no such end.
   */
  readonly renewedUntil: number | undefined
  /** The tier from the next period on, if it was changed to a lower one. */
  readonly pendingTier: TierName | undefined
}

/** `none`: the account is closed. */
export type RenewedBy = "schedule" | "invoice" | "none"

/** The state of an account as people and dashboards see it. */
export interface Balance {
  readonly allowance: number
  readonly topup: number
  readonly held: number
  readonly debt: number
  /** `allowance + topup - held`. */
  readonly available: number
  /** Unix milliseconds: when the next period begins. */
  readonly nextResetAt: number
}

/** Credits that a new hold may still take. */
export const availableOf = (buckets: Buckets): number =>
  buckets.allowance - buckets.heldAllowance + (buckets.topup - buckets.heldTopup)

/** The account as a balance. */
export const balanceOf = (account: Account): Balance => ({
  allowance: account.allowance,
  topup: account.topup,
  held: account.heldAllowance + account.heldTopup,
  debt: account.debt,
  available: availableOf(account),
  nextResetAt: account.nextResetAt
})

/** Credits taken from, or put into, each bucket. */
export interface Split {
  readonly allowance: number
  readonly topup: number
}

/** `amount` taken from `source`, the allowance first, since it expires first; less if the source has less. */
export const takeFrom = (source: Split, amount: number): Split => {
  const allowance = Math.min(amount, source.allowance)
  return { allowance, topup: Math.min(amount - allowance, source.topup) }
}

/** The credits of an account beyond its open holds. */
export const freeOf = (buckets: Buckets): Split => ({
  allowance: buckets.allowance - buckets.heldAllowance,
  topup: buckets.topup - buckets.heldTopup
})

/** Adds `amount` new credits: they repay debt first, and the rest goes into the bucket. */
export const splitGrant = (buckets: Buckets, amount: number): { readonly repaid: number; readonly added: number } => {
  const repaid = Math.min(amount, buckets.debt)
  return { repaid, added: amount - repaid }
}
