import { Effect, Schedule } from "effect"
import { DatabaseError } from "../database/Database.ts"

const PAUSE = Schedule.jittered(Schedule.spaced("200 millis"))

/**
 * Retries work that is safe to repeat if its failure is temporary according to `isWorthIt`. It retries at once, because
 * a pooled connection may have been stale; if that fails too, it repeats both tries once after a short random pause.
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
