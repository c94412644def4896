import { Cause, Clock, Effect, Exit, Random, type Scope } from "effect"
import { type FailureFields, failureFields } from "../storage/failureFields.ts"
import type { BackgroundTask } from "./BackgroundTask.ts"

/**
 * The pause after a failure: doubled with each failure in a row, and varied so that processes do not restart together.
 */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 30_000
/** A task that worked for so long has recovered: its next failure is again a first one. */
const RECOVERED_MS = 60_000

const restMs = (failuresInARow: number): number =>
  Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(failuresInARow - 1, 10))

const describe = (exit: Exit.Exit<never, unknown>): FailureFields =>
  failureFields(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined)

/** Runs a task until interrupted; if it ends in any other way, it is logged and restarted after a pause. */
export const superviseTask = <R>(
  name: string,
  { consequence, run }: BackgroundTask<R>
): Effect.Effect<never, never, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    let failuresInARow = 0
    for (;;) {
      const began = yield* Clock.monotonicTimeNanos
      const exit = yield* Effect.exit(Effect.scoped(run))
      const workedMs = Number((yield* Clock.monotonicTimeNanos) - began) / 1_000_000
      failuresInARow = workedMs >= RECOVERED_MS ? 1 : failuresInARow + 1
      const rest = Math.round(restMs(failuresInARow) * (0.8 + 0.4 * (yield* Random.next)))
      yield* Effect.logWarning(`${consequence}; the task begins anew in ${(rest / 1000).toFixed(1)} seconds.`).pipe(
        Effect.annotateLogs({ task: name, ...describe(exit) })
      )
      yield* Effect.sleep(rest)
    }
  })
