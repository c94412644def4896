import type { Card } from "./StandInState.ts"

/**
 * The means with which a person pays. With `declined` the page stays open; `later` is a transfer that arrives after
 * three days, and `later-fails` a transfer that never arrives.
 */
export const MEANS = ["works", "declined", "later", "later-fails"] as const
export type Means = (typeof MEANS)[number]

export interface PayOptions {
  readonly means?: Means
  /** True if a permanent discount of 100 % applies. */
  readonly isFree?: boolean
  /** The number of free days at the beginning of a subscription. */
  readonly trialDays?: number
  /** The result of later charges to the card, at renewals. */
  readonly card?: Card
}
