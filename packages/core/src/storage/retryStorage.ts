import { Effect, Predicate, Schedule } from "effect"

/** Returns true for a temporary failure of a store. */
export const isPassing = (error: unknown): boolean =>
  Predicate.isTagged(error, "StorageFailed") && Predicate.hasProperty(error, "retryable") && error.retryable === true

/** Returns true if the store was not asked because it counts as down, so that the work has not begun. */
const wasNotAsked = (error: unknown): boolean =>
  isPassing(error) && Predicate.hasProperty(error, "retryAfterMs") && error.retryAfterMs !== undefined

/**
 * Returns true if an immediate retry may succeed: a store that counts as down refuses all requests until it responds.
 */
const passesSoon = (error: unknown): boolean => isPassing(error) && !wasNotAsked(error)

/** Retries during a short outage: five within about three seconds. */
const shortOutage = Schedule.jittered(Schedule.max([Schedule.exponential("100 millis"), Schedule.recurs(5)]))

/**
 * Retries during a long outage: longer than a database's failover of two minutes. The pauses vary, so that processes do
 * not return at the same moment.
 */
const longOutage = Schedule.jittered(Schedule.max([Schedule.spaced("4 seconds"), Schedule.during("5 minutes")]))

/** Retries work on a store after a temporary failure. Use it only for work that is safe to repeat. */
export const retryStorage = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(work, { schedule: shortOutage, while: passesSoon })

/** Does the same for five minutes, for work that must not be lost. */
export const retryThroughOutage = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(retryStorage(work), { schedule: longOutage, while: isPassing })

/** Retries work that must not be repeated: for five minutes, while the store was not asked. */
export const retryUnasked = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(work, { schedule: longOutage, while: wasNotAsked })
