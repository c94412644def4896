import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { EventName } from "./RateLimiter.ts"

/** The maximum that a subject may spend. */
export interface SpendLimit extends EventName {
  /** Whole credits on one UTC day, zero or more. */
  readonly credits: number
  /** True if a subject that has spent nothing today may spend once, even if `credits` is too low for it. */
  readonly sparesFirst?: boolean | undefined
}

export interface SpendInput {
  /**
   * The limits, all of which apply. A refusal names the first limit that refuses. No two have the same subject and
   * name.
   */
  readonly limits: ReadonlyArray<SpendLimit>
  /** The maximum that the caller will spend: whole credits, 1 or more. */
  readonly amount: number
  /** The smallest amount that the caller can use, from 1 to `amount`. */
  readonly minimumAmount: number
}

/** The limits and the day of a counted amount. */
export interface Spent {
  readonly limits: ReadonlyArray<EventName>
  /** The UTC day, counted from 1970-01-01. */
  readonly day: number
}

/** The answer to a `SpendInput`. */
export type Spending =
  | {
      readonly _tag: "Granted"
      /** The granted amount, between `minimumAmount` and `amount`; counted on all of the limits. */
      readonly amount: number
      readonly day: number
    }
  | {
      readonly _tag: "Refused"
      /** The position of the limit that has too little left. */
      readonly place: number
      /** Milliseconds until the next UTC day. */
      readonly remainingMs: number
    }

/**
 * Limits the credits that subjects spend on a UTC day, within several limits at once, for all server processes
 * together. An amount is counted before it is spent, and the unspent rest is returned. A server process that dies
 * returns nothing, so a crash never allows a subject to exceed a limit. A crash of the store may lose the counts of the
 * running day.
 */
export class SpendLimiter extends Context.Service<
  SpendLimiter,
  {
    /** Counts an amount on all limits, or on none. Atomic: concurrent calls cannot exceed a limit together. */
    spend(input: SpendInput): Effect.Effect<Spending, StorageFailed>
    /** Returns credits that were granted but not spent. */
    giveBack(input: Spent & { readonly amount: number }): Effect.Effect<void, StorageFailed>
    /** Deletes at most `limit` counts of days that are over; returns their number. */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/limits/SpendLimiter") {}
