import { Effect, Predicate, Schedule } from "effect"

/** True for a temporary failure of a store. */
export const isPassing = (error: unknown): boolean =>
  Predicate.isTagged(error, "StorageFailed") && Predicate.hasProperty(error, "retryable") && error.retryable === true

/** True if the store counts as down, and so was not asked: the work has not begun. */
const wasNotAsked = (error: unknown): boolean =>
  isPassing(error) && Predicate.hasProperty(error, "retryAfterMs") && error.retryAfterMs !== undefined

/** True if an immediate retry may help: a store that counts as down refuses all requests until it responds. */
const passesSoon = (error: unknown): boolean => isPassing(error) && !wasNotAsked(error)

/** A short outage is waited for: five tries within about three seconds, for failures that may pass. */
const shortOutage = Schedule.jittered(Schedule.max([Schedule.exponential("100 millis"), Schedule.recurs(5)]))

/**
 * Longer than a database's failover of two minutes; the pauses vary, so that processes do not return at the same
 * moment.
 */
const longOutage = Schedule.jittered(Schedule.max([Schedule.spaced("4 seconds"), Schedule.during("5 minutes")]))

/** Retries work on a store after a temporary failure. Only for work that is safe to repeat. */
export const retryStorage = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(work, { schedule: shortOutage, while: passesSoon })

/** The same for work that must not be lost: for five minutes. */
export const retryThroughOutage = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(retryStorage(work), { schedule: longOutage, while: isPassing })

/** Retries work that must not be repeated: for five minutes, as long as the store was not asked. */
export const retryUnasked = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(work, { schedule: longOutage, while: wasNotAsked })
