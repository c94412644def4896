import { Cause, Effect, Option, Schedule } from "effect"
import { isPassing, retryStorage, retryThroughOutage } from "../storage/retryStorage.ts"

/** How often a hold is tried to be ended while the storage stays down. */
const LONG_OUTAGE = Schedule.jittered(Schedule.spaced("5 seconds"))

const NOT_STORED = "A reply could not be stored."
const NOT_ENDED = "A hold could not be ended; a sweeper ends it."

/**
 * Ends a hold by `work` and then its heartbeat. The reader has the text already, so nothing here fails or makes anybody
 * wait for long: where the storage stays down, the hold is ended in the background as soon as it answers again. Until
 * then the heartbeat goes on, so that whoever sweeps the hold of a process that dies meanwhile knows what was delivered.
 */
export const endHold = <A, E>(
  work: Effect.Effect<A, E>,
  key: string,
  stopKeeping: Effect.Effect<void>
): Effect.Effect<void> => {
  const later = Effect.retry(work, { schedule: LONG_OUTAGE, while: isPassing })
  const postpone = Effect.logWarning("A hold is ended as soon as the storage answers again.").pipe(
    Effect.annotateLogs({ hold: key }),
    Effect.andThen(Effect.forkDetach(Effect.ensuring(logFailure(later, NOT_ENDED, key), stopKeeping))),
    Effect.asVoid
  )
  return Effect.matchCauseEffect(retryStorage(work), {
    onSuccess: () => stopKeeping,
    onFailure: (cause) =>
      Option.exists(Cause.findErrorOption(cause), isPassing)
        ? postpone
        : Effect.andThen(logFailure(Effect.failCause(cause), NOT_ENDED, key), stopKeeping)
  })
}

/**
 * Stores what a reply became and then ends its hold, in this order: a reply that is charged can be given again, also
 * where the process dies between the two. The reader does not wait for long: where the storage stays down, both are done
 * in the background, over several minutes. Only then, or where the storage refuses it for good, is a reply charged that
 * could not be stored.
 */
export const storeThenEnd = <A, E>(
  store: Effect.Effect<A, E>,
  end: Effect.Effect<void>,
  key: string
): Effect.Effect<void> => {
  const told = <B>(stored: Effect.Effect<B, E>) => logFailure(stored, NOT_STORED, key)
  const later = Effect.andThen(told(retryThroughOutage(store)), end)
  const postpone = Effect.logWarning("A reply is stored as soon as the storage answers again.").pipe(
    Effect.annotateLogs({ hold: key }),
    Effect.andThen(Effect.forkDetach(Effect.uninterruptible(later))),
    Effect.asVoid
  )
  return Effect.matchCauseEffect(retryStorage(store), {
    onSuccess: () => end,
    onFailure: (cause) =>
      Option.exists(Cause.findErrorOption(cause), isPassing)
        ? postpone
        : Effect.andThen(told(Effect.failCause(cause)), end)
  })
}

/** Runs work that may not fail; a failure is told in the log by its name alone. */
const logFailure = <A>(work: Effect.Effect<A, unknown>, message: string, key: string): Effect.Effect<void> =>
  work.pipe(
    Effect.asVoid,
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      const failure = error instanceof Error ? error.name : "unknown"
      return Effect.annotateLogs(Effect.logError(message), { hold: key, failure })
    })
  )
