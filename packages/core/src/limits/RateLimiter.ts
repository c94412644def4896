import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** Which events of whom. */
export interface EventName {
  /** Whose events are counted: a user id, or another name that cannot be mistaken for one. */
  readonly subject: string
  /** Which events, for example `abandoned`. */
  readonly name: string
}

export interface CountInput extends EventName {
  /** Milliseconds, 1 or more: how long a window is that begins with its first event. */
  readonly windowMs: number
}

export interface Counted {
  /** Events of the running window, one just counted included. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly remainingMs: number
}

/**
 * Counts events in windows of time, for all server processes together. A window begins with the first event after the
 * one before has ended. Says nothing of how many are too many: the caller decides.
 */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Counts one event; gives the events of its window so far. Events at the same moment are all counted. */
    count(input: CountInput): Effect.Effect<Counted, StorageFailed>
    /** The events of the running window so far, without counting one; none, and no time, where no window runs. */
    peek(event: EventName): Effect.Effect<Counted, StorageFailed>
  }
>()("@parley/core/limits/RateLimiter") {}
