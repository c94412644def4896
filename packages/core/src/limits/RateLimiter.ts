import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** Identifies counted events by their subject and name. */
export interface EventName {
  /** The subject: a user id, or another name that cannot be mistaken for a user id. */
  readonly subject: string
  /** The name of the events, for example `abandoned`. */
  readonly name: string
}

export interface CountInput extends EventName {
  /** The length of a window in milliseconds, 1 or more; a window begins with its first event. */
  readonly windowMs: number
}

export interface Counted {
  /** The number of events in the running window, including one that was just counted. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly remainingMs: number
}

/**
 * Counts events in windows of time, for all server processes together. A window begins with the first event after the
 * previous window has ended. The caller compares the count with its limit.
 */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Counts one event; returns the number of events in its window so far. Concurrent events are all counted. */
    count(input: CountInput): Effect.Effect<Counted, StorageFailed>
    /**
     * Returns the number of each of these events in its running window, in their order, without counting an event;
     * zero, without a time, if no window runs.
     */
    peek(events: ReadonlyArray<EventName>): Effect.Effect<ReadonlyArray<Counted>, StorageFailed>
  }
>()("@parley/core/limits/RateLimiter") {}
