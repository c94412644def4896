import type { Buckets } from "./Account.ts"

/** Credits taken from, or put into, each bucket. */
export interface Split {
  readonly allowance: number
  readonly topup: number
}

/** How a new hold of `amount` is set aside: the allowance first, since it expires first. Takes `amount <= availableOf`. */
export const splitHold = (buckets: Buckets, amount: number): Split => {
  const allowance = Math.min(amount, buckets.allowance - buckets.heldAllowance)
  return { allowance, topup: amount - allowance }
}

/** What a charge takes, and what of the hold goes back. */
export interface ChargeSplit extends Split {
  /** Beyond the hold and beyond what was free: owed. */
  readonly debt: number
}

/**
 * How a charge of `amount` is paid: from what the hold set aside (allowance first), then from what is free
 * (allowance first), then as debt. `free` is what the account has beyond all holds, this one included.
 */
export const splitCharge = (held: Split, free: Split, amount: number): ChargeSplit => {
  const fromHeldAllowance = Math.min(amount, held.allowance)
  const fromHeldTopup = Math.min(amount - fromHeldAllowance, held.topup)
  const beyond = amount - fromHeldAllowance - fromHeldTopup
  const fromFreeAllowance = Math.min(beyond, Math.max(0, free.allowance))
  const fromFreeTopup = Math.min(beyond - fromFreeAllowance, Math.max(0, free.topup))
  return {
    allowance: fromHeldAllowance + fromFreeAllowance,
    topup: fromHeldTopup + fromFreeTopup,
    debt: beyond - fromFreeAllowance - fromFreeTopup
  }
}

/** How `amount` new credits are put in: they repay debt first, the rest goes into the bucket. */
export const splitGrant = (buckets: Buckets, amount: number): { readonly repaid: number; readonly added: number } => {
  const repaid = Math.min(amount, buckets.debt)
  return { repaid, added: amount - repaid }
}
