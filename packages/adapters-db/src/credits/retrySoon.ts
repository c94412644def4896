import { Effect, Schedule } from "effect"
import { DatabaseError } from "../database/Database.ts"

const PAUSE = Schedule.jittered(Schedule.spaced("200 millis"))

/**
 * Tries work that is safe to repeat again where what failed it passes, as `isWorthIt` says: at once, since a connection
 * of the pool may have been stale, and once more both ways after a short pause, which varies.
 */
export const retrySoon =
  (isWorthIt: (error: DatabaseError) => boolean = ({ retryable }) => retryable) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const again = (error: E): boolean => error instanceof DatabaseError && isWorthIt(error)
    return work.pipe(
      Effect.retry({ times: 1, while: again }),
      Effect.retry({ times: 1, while: again, schedule: PAUSE })
    )
  }
