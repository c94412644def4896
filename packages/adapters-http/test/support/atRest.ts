import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** Runs with a clock that stands still unless it is moved; it begins now, so that tokens are good. */
export const atRest = <A, E>(program: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.provide(
      Effect.andThen(
        Effect.suspend(() => TestClock.setTime(Date.now())),
        program
      ),
      TestClock.layer()
    )
  )
