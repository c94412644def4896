import type { Buckets } from "./Account.ts"

/** Credits taken from, or put into, each bucket. */
export interface Split {
  readonly allowance: number
  readonly topup: number
}

/** `amount` taken from `source`, the allowance first, since it expires first; less where there is less. */
export const takeFrom = (source: Split, amount: number): Split => {
  const allowance = Math.min(amount, source.allowance)
  return { allowance, topup: Math.min(amount - allowance, source.topup) }
}

/** What an account has beyond its open holds. */
export const freeOf = (buckets: Buckets): Split => ({
  allowance: buckets.allowance - buckets.heldAllowance,
  topup: buckets.topup - buckets.heldTopup
})

/** How a new hold of `amount` is set aside: the allowance first. Takes `amount <= availableOf(buckets)`. */
export const splitHold = (buckets: Buckets, amount: number): Split => takeFrom(freeOf(buckets), amount)

/** Who pays a charge: what the hold set aside, then what is free, then nobody yet, which is a debt. */
export interface ChargeSplit {
  readonly fromHold: Split
  readonly fromFree: Split
  readonly debt: number
}

/** How a charge of `amount` is paid. `held` is what its hold set aside, `free` what the account has beyond all holds. */
export const splitCharge = (held: Split, free: Split, amount: number): ChargeSplit => {
  const fromHold = takeFrom(held, amount)
  const beyond = amount - fromHold.allowance - fromHold.topup
  const fromFree = takeFrom(free, beyond)
  return { fromHold, fromFree, debt: beyond - fromFree.allowance - fromFree.topup }
}

/** How `amount` new credits are put in: they repay debt first, the rest goes into the bucket. */
export const splitGrant = (buckets: Buckets, amount: number): { readonly repaid: number; readonly added: number } => {
  const repaid = Math.min(amount, buckets.debt)
  return { repaid, added: amount - repaid }
}
