import { Effect, Schedule } from "effect"
import { logFailure } from "./logFailure.ts"
import { isPassing, retryStorage } from "../../storage/retryStorage.ts"

/** How often a hold is tried to be ended while the storage stays down. */
const LONG_OUTAGE = Schedule.jittered(Schedule.spaced("5 seconds"))

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
