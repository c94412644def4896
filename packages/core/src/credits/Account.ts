import type { TierName } from "../tiers/Tier.ts"
import type { UserId } from "../identity/UserId.ts"

/**
 * The credits in each bucket of an account, and the part of each that open holds have set aside. All in whole credits.
 */
export interface Buckets {
  /**
   * The credits of the running period; unspent ones expire when it ends. Includes the credits that open holds have set
   * aside.
   */
  readonly allowance: number
  /** Credits that were bought or granted; they never expire. Includes the credits that open holds have set aside. */
  readonly topup: number
  /**
   * Credits that the person owes after refunds, disputes and corrections of spent credits, never for usage. New credits
   * repay it first.
   */
  readonly debt: number
  readonly heldAllowance: number
  readonly heldTopup: number
}

/** An account as the ledger stores it. */
export interface Account extends Buckets {
  readonly userId: UserId
  readonly tier: TierName
  /** Unix milliseconds: the moment from which the starts of all periods are computed. */
  readonly anchor: number
  /** Unix milliseconds: the start of the period to which the allowance belongs. */
  readonly periodStart: number
  /** Unix milliseconds: when the next period begins. */
  readonly nextResetAt: number
  /**
   * Whole credits: the allowance of the most expensive plan that the account has had in this period. A change to a more
   * expensive plan grants the difference.
   */
  readonly periodCredits: number
  /**
   * The process that begins the next period: the monthly job, or the paid invoice of a subscription. A subscription
   * whose invoice is unpaid therefore grants nothing.
   */
  readonly renewedBy: RenewedBy
  /**
   * Unix milliseconds: the monthly job begins no period from this time on, because later periods are not paid for;
   * undefined if there is no such time.
   */
  readonly renewedUntil: number | undefined
  /** The tier from the next period on, if the person changed to a lower tier; otherwise undefined. */
  readonly pendingTier: TierName | undefined
}

/** `schedule`: the monthly job; `invoice`: a paid invoice; `none`: no process, because the account is closed. */
export type RenewedBy = "schedule" | "invoice" | "none"

/** The credits of an account in the form that the API returns to people and the dashboard shows. */
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

/** The credits that a new hold can still set aside. */
export const availableOf = (buckets: Buckets): number =>
  buckets.allowance - buckets.heldAllowance + (buckets.topup - buckets.heldTopup)

/** Returns the balance of an account. */
export const balanceOf = (account: Account): Balance => ({
  allowance: account.allowance,
  topup: account.topup,
  held: account.heldAllowance + account.heldTopup,
  debt: account.debt,
  available: availableOf(account),
  nextResetAt: account.nextResetAt
})

/** Credits taken from each bucket, or added to each. */
export interface Split {
  readonly allowance: number
  readonly topup: number
}

/**
 * Takes `amount` credits from the buckets in `source`: from the allowance first, because it expires first. Takes less
 * if the buckets contain less.
 */
export const takeFrom = (source: Split, amount: number): Split => {
  const allowance = Math.min(amount, source.allowance)
  return { allowance, topup: Math.min(amount - allowance, source.topup) }
}

/** The credits of an account beyond its open holds. */
export const freeOf = (buckets: Buckets): Split => ({
  allowance: buckets.allowance - buckets.heldAllowance,
  topup: buckets.topup - buckets.heldTopup
})

/** Divides `amount` new credits: they repay debt first, and the rest is added to the bucket. */
export const splitGrant = (buckets: Buckets, amount: number): { readonly repaid: number; readonly added: number } => {
  const repaid = Math.min(amount, buckets.debt)
  return { repaid, added: amount - repaid }
}
