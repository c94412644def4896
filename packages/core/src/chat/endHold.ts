import { Cause, Effect, Fiber, Schedule } from "effect"
import { isPassing, retryStorage, retryThroughOutage } from "../storage/retryStorage.ts"

/** How often a hold is tried to be ended while the storage stays down. */
const LONG_OUTAGE = Schedule.jittered(Schedule.spaced("5 seconds"))

/** How long the end of a stream waits until its reply is stored and charged. */
const PATIENCE = "4 seconds"

const NOT_STORED = "A reply could not be stored."
const NOT_ENDED = "A hold could not be ended; a sweeper ends it."

/**
 * Ends a hold by `work` and then its heartbeat, as soon as the storage answers. Until then the heartbeat goes on, so that
 * the sweeper that ends the hold of a process that dies meanwhile knows what was delivered. Never fails.
 */
export const endHold = <A, E>(
  work: Effect.Effect<A, E>,
  key: string,
  stopKeeping: Effect.Effect<void>
): Effect.Effect<void> => {
  const ended = Effect.retry(retryStorage(work), { schedule: LONG_OUTAGE, while: isPassing })
  return Effect.ensuring(logFailure(ended, NOT_ENDED, key), stopKeeping)
}

/**
 * Stores what a reply became and then ends its hold, in this order: a reply that is charged can be given again, also
 * where the process dies between the two. Only where the storage does not take it for minutes, or refuses it for good, is
 * a reply charged that could not be stored. Never fails.
 */
export const storeThenEnd = <A, E>(
  store: Effect.Effect<A, E>,
  end: Effect.Effect<void>,
  key: string
): Effect.Effect<void> => Effect.andThen(logFailure(retryThroughOutage(store), NOT_STORED, key), end)

/**
 * Does the work that ends a reply, whatever becomes of who waits for it. The reader has the text already, and waits for a
 * few seconds only: where the storage stays down, it is done in the background as soon as it answers again.
 */
export const finishSoon = (work: Effect.Effect<void>, key: string): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Effect.uninterruptible(work), { startImmediately: true }), (finishing) =>
    Effect.catchTag(Effect.timeout(Effect.interruptible(Fiber.join(finishing)), PATIENCE), "TimeoutError", () =>
      Effect.annotateLogs(Effect.logWarning("A reply is stored and charged as soon as the storage answers again."), {
        hold: key
      })
    )
  )

/** Runs work that may not fail; a failure is logged by its name alone. */
const logFailure = <A>(work: Effect.Effect<A, unknown>, message: string, key: string): Effect.Effect<void> =>
  work.pipe(
    Effect.asVoid,
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      const failure = error instanceof Error ? error.name : "unknown"
      return Effect.annotateLogs(Effect.logError(message), { hold: key, failure })
    })
  )
