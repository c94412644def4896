import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { EventName } from "./RateLimiter.ts"

/** The limit of a subject's calls. */
export interface CallLimit extends EventName {
  /** Calls that one window admits, 1 or more. */
  readonly calls: number
  /** The most open calls, 1 or more; default unlimited. */
  readonly atOnce?: number | undefined
}

export interface AdmitInput {
  /** All of them hold. They are looked at in this order, so that a refusal names the first; no two have one name. */
  readonly limits: ReadonlyArray<CallLimit>
  /** Milliseconds, 1 or more: how long a window is that begins with the first call admitted in it. */
  readonly windowMs: number
  /** Names the call for as long as it is open: a new UUID. */
  readonly lease: string
  /** Milliseconds after which the call counts as ended, unless its lease is kept. */
  readonly leaseMs: number
  /** Leases of ended calls, which are returned before the new call is counted. */
  readonly ended: ReadonlyArray<string>
}

/** The reason of a refusal: the window is full, or the most calls are open. */
export type LimitReached = "calls" | "atOnce"

/** The result of a request for admission. */
export type Admission =
  | { readonly _tag: "Admitted" }
  | {
      readonly _tag: "Refused"
      /** The place of the limit among those of the call. */
      readonly place: number
      readonly reached: LimitReached
      /** Milliseconds until the window of a refusal for `calls` ends: until then this limit admits no further call. */
      readonly remainingMs: number
    }

export interface KeepInput {
  /** Leases of calls that are still open. */
  readonly leases: ReadonlyArray<string>
  readonly leaseMs: number
  /** Leases of calls that have ended. */
  readonly ended: ReadonlyArray<string>
}

/**
 * Admits calls within several limits at once, for all server processes together. A call is admitted by all of its
 * limits and counted on each, or refused and counted on none: a caller who exceeds a limit of their own does not use
 * up the limits that they share with others. A crash of the store may lose counts, a crash of a server never does.
 */
export class CallLimiter extends Context.Service<
  CallLimiter,
  {
    /** Admits or refuses a call. The decision is immediate, so that concurrent calls cannot pass a limit together. */
    admit(input: AdmitInput): Effect.Effect<Admission, StorageFailed>
    /**
     * Renews the leases of open calls, and returns those of ended ones. A lease that has expired and was swept is not
     * restored.
     */
    keep(input: KeepInput): Effect.Effect<void, StorageFailed>
    /**
     * Deletes at most `limit` windows, and as many leases, that ended a minute ago or longer; returns their number.
     */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/limits/CallLimiter") {}
