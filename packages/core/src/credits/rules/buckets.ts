import type { Buckets } from "../Account.ts"

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

/** How `amount` new credits are put in: they repay debt first, the rest goes into the bucket. */
export const splitGrant = (buckets: Buckets, amount: number): { readonly repaid: number; readonly added: number } => {
  const repaid = Math.min(amount, buckets.debt)
  return { repaid, added: amount - repaid }
}
