import { Cause, Effect, Fiber, Schedule } from "effect"
import { failureFields } from "../../storage/failureFields.ts"
import { isPassing } from "../../storage/retryStorage.ts"

/** Longest time that a caller waits for the end of a hold. */
const PATIENCE = "4 seconds"

/** Soon again at first, then every five seconds; the pauses vary. */
const UNTIL_STORED = Schedule.jittered(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")]))

/** Tries work on a store again as long as its failures may pass. Only for work that is safe to repeat. */
export const untilStored = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(work, { schedule: UNTIL_STORED, while: isPassing })

/**
 * Does the work that ends a hold, whether or not its caller is interrupted, and runs `afterwards` in every case. The work
 * is tried again until the storage takes it; if the storage refuses it for good, that is logged, and a sweeper ends the
 * hold. The caller waits for a few seconds and gets the fiber that does the work, which may still run then.
 */
export const endSurely = <A, E>(
  work: Effect.Effect<A, E>,
  key: string,
  afterwards: Effect.Effect<void>
): Effect.Effect<Fiber.Fiber<A, E>> =>
  Effect.gen(function* () {
    const ended = untilStored(work).pipe(
      Effect.tapCause((cause) =>
        Effect.annotateLogs(Effect.logError("A hold could not be ended; a sweeper ends it."), {
          hold: key,
          ...failureFields(Cause.squash(cause))
        })
      ),
      Effect.ensuring(afterwards)
    )
    const ending = yield* Effect.forkDetach(Effect.uninterruptible(ended), { startImmediately: true })
    yield* Effect.catchTag(Effect.timeout(Effect.interruptible(Fiber.await(ending)), PATIENCE), "TimeoutError", () =>
      Effect.annotateLogs(Effect.logWarning("A hold is ended as soon as the storage answers again."), { hold: key })
    )
    return ending
  })
