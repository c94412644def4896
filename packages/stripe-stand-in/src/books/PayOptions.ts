import type { Card } from "./StandInState.ts"

/**
 * How a person pays. `declined` leaves the page open; `later` is a transfer that arrives after three days, and
 * `later-fails` one that never does.
 */
export const MEANS = ["works", "declined", "later", "later-fails"] as const
export type Means = (typeof MEANS)[number]

export interface PayOptions {
  readonly means?: Means
  /** A coupon of 100 %, for good. */
  readonly isFree?: boolean
  /** A subscription begins with so many days for nothing. */
  readonly trialDays?: number
  /** The card's answer at renewals. */
  readonly card?: Card
}
