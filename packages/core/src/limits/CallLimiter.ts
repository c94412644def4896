import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { EventName } from "./RateLimiter.ts"

/** The limit on the calls of a subject. */
export interface CallLimit extends EventName {
  /** The number of calls that are admitted in one window, 1 or more. */
  readonly calls: number
  /** The maximum number of open calls, 1 or more; unlimited unless given. */
  readonly atOnce?: number | undefined
}

export interface AdmitInput {
  /**
   * The limits, all of which apply. They are checked in this order, so a refusal names the first; their names are
   * different.
   */
  readonly limits: ReadonlyArray<CallLimit>
  /** The length of a window in milliseconds, 1 or more; a window begins with its first admitted call. */
  readonly windowMs: number
  /** A new UUID, which identifies the call while it is open. */
  readonly lease: string
  /** Milliseconds after which the call counts as ended, unless its lease is renewed. */
  readonly leaseMs: number
  /** The leases of ended calls, which are returned before the new call is counted. */
  readonly ended: ReadonlyArray<string>
}

/** The reason for a refusal: the window is full (`calls`), or the maximum number of calls is open (`atOnce`). */
export type LimitReached = "calls" | "atOnce"

/** The result of a request for admission. */
export type Admission =
  | { readonly _tag: "Admitted" }
  | {
      readonly _tag: "Refused"
      /** The position of the limit in the list of the call's limits. */
      readonly place: number
      readonly reached: LimitReached
      /**
       * Only for a refusal by `calls`: milliseconds until the window ends, before which this limit admits no further
       * call.
       */
      readonly remainingMs: number
    }

export interface KeepInput {
  /** The leases of calls that are still open. */
  readonly leases: ReadonlyArray<string>
  readonly leaseMs: number
  /** The leases of calls that have ended. */
  readonly ended: ReadonlyArray<string>
}

/**
 * Admits calls within several limits at once, for all server processes together. A call is either admitted by all of
 * its limits and counted on each, or refused and counted on none: so a caller who exceeds a limit of their own does not
 * use up limits that they share with others. A crash of the store may lose counts, a crash of a server does not.
 */
export class CallLimiter extends Context.Service<
  CallLimiter,
  {
    /**
     * Admits or refuses a call. The check and the count are one step, so concurrent calls cannot exceed a limit
     * together.
     */
    admit(input: AdmitInput): Effect.Effect<Admission, StorageFailed>
    /**
     * Renews the leases of open calls, and returns those of ended calls. A lease that has expired and was deleted is
     * not restored.
     */
    keep(input: KeepInput): Effect.Effect<void, StorageFailed>
    /**
     * Deletes at most `limit` windows, and at most as many leases, that ended a minute ago or earlier; returns their
     * number.
     */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/limits/CallLimiter") {}
