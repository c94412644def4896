import { Effect, Predicate, Schedule } from "effect"

/** Whether a failure is one of a store, and may pass. */
export const isPassing = (error: unknown): boolean =>
  Predicate.isTagged(error, "StorageFailed") && Predicate.hasProperty(error, "retryable") && error.retryable === true

/** Whether asking again at once may help: a store that counts as down refuses all requests until it answers. */
const passesSoon = (error: unknown): boolean =>
  isPassing(error) && !(Predicate.hasProperty(error, "retryAfterMs") && error.retryAfterMs !== undefined)

/** A short outage is waited for: five tries within about three seconds, for failures that may pass. */
const shortOutage = Schedule.jittered(Schedule.max([Schedule.exponential("100 millis"), Schedule.recurs(5)]))

/** Longer than a database takes to fail over, two minutes; the pauses vary, so that not everybody comes back at once. */
const longOutage = Schedule.jittered(Schedule.max([Schedule.spaced("4 seconds"), Schedule.during("5 minutes")]))

/** Tries work on a store again where its failure may pass soon. Only for work that is safe to repeat. */
export const retryStorage = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(work, { schedule: shortOutage, while: passesSoon })

/** The same for work that must not be lost: for five minutes. */
export const retryThroughOutage = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(retryStorage(work), { schedule: longOutage, while: isPassing })
