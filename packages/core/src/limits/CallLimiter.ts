import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { EventName } from "./RateLimiter.ts"

/** How far the calls of a subject may go. */
export interface CallLimit extends EventName {
  /** Calls that one window admits, 1 or more. */
  readonly calls: number
  /** Calls that may be open at once, 1 or more; any number unless given. */
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
  /** Leases of calls that have ended, given back before anything is counted. */
  readonly ended: ReadonlyArray<string>
}

/** What a limit refuses a call for: its window is full, or as many calls are open as may be. */
export type LimitReached = "calls" | "atOnce"

/** How asking for admission went. */
export type Admission =
  | { readonly _tag: "Admitted" }
  | {
      readonly _tag: "Refused"
      /** The place of the limit among those of the call. */
      readonly place: number
      readonly reached: LimitReached
      /** Milliseconds until the window of a refusal for `calls` ends: until then nothing more is admitted by it. */
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
 * limits and counted on each, or refused and counted on none: a caller refused by a limit of its own uses up nothing
 * of what they share with others. What it counts may be lost with the store's process, never with that of a server.
 */
export class CallLimiter extends Context.Service<
  CallLimiter,
  {
    /** Admits or refuses a call. Decided at once: calls of the same moment cannot pass a limit together. */
    admit(input: AdmitInput): Effect.Effect<Admission, StorageFailed>
    /** Has open calls count on as open, and gives back what ended. A lease that has run out and was swept is not made anew. */
    keep(input: KeepInput): Effect.Effect<void, StorageFailed>
    /** Forgets at most `limit` windows, and as many leases, that have ended for a minute or longer; gives how many. */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/limits/CallLimiter") {}
