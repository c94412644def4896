import type { Card } from "./StandInState.ts"

/**
 * The way in which a person pays. `declined` leaves the page open; `later` is a transfer that arrives after three days,
 * and `later-fails` one that never does.
 */
export const MEANS = ["works", "declined", "later", "later-fails"] as const
export type Means = (typeof MEANS)[number]

export interface PayOptions {
  readonly means?: Means
  /** A coupon of 100 %, for good. */
  readonly isFree?: boolean
  /** The number of free days at the beginning of a subscription. */
  readonly trialDays?: number
  /** The card's answer at renewals. */
  readonly card?: Card
}
