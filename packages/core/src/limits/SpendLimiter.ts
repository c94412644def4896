import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { EventName } from "./RateLimiter.ts"

/** How much a subject may spend. */
export interface SpendLimit extends EventName {
  /** Whole credits on one UTC day, zero or more. */
  readonly credits: number
  /** True if a subject that has spent nothing today may begin, however little `credits` is. */
  readonly sparesFirst?: boolean | undefined
}

export interface SpendInput {
  /** All of them hold. They are looked at in this order, so that a refusal names the first; no two have one subject and one name. */
  readonly limits: ReadonlyArray<SpendLimit>
  /** Whole credits, 1 or more: the most that will be spent. */
  readonly amount: number
  /** The least that is still useful, from 1 to `amount`. */
  readonly minimumAmount: number
}

/** Which spending of which day. */
export interface Spent {
  readonly limits: ReadonlyArray<EventName>
  /** The UTC day, counted from 1970-01-01. */
  readonly day: number
}

/** How asking went. */
export type Spending =
  | {
      readonly _tag: "Granted"
      /** Between `minimumAmount` and `amount`; counted on all of the limits. */
      readonly amount: number
      readonly day: number
    }
  | {
      readonly _tag: "Refused"
      /** The place of the limit that has too little left. */
      readonly place: number
      /** Milliseconds until the next UTC day. */
      readonly remainingMs: number
    }

/**
 * Bounds what subjects spend on a UTC day, within several limits at once, for all server processes together. What may be
 * spent is counted before it is, and what was not spent is given back: a process that dies gives nothing back, so that
 * a limit is never passed by a crash. What it counts may be lost with the store's process, never with that of a server.
 */
export class SpendLimiter extends Context.Service<
  SpendLimiter,
  {
    /** Counts an amount on all limits, or on none. Decided at once: requests of the same moment cannot pass a limit together. */
    spend(input: SpendInput): Effect.Effect<Spending, StorageFailed>
    /** Gives back what was granted and not spent. */
    giveBack(input: Spent & { readonly amount: number }): Effect.Effect<void, StorageFailed>
    /** Forgets at most `limit` counts of days that are over; returns how many. */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/limits/SpendLimiter") {}
