import { type Duration, Effect, Schedule } from "effect"
import { failureFields } from "../storage/failureFields.ts"

/** Background work that is repeated. */
export interface Repetition<A, R> {
  /**
   * The time from the end of one run to the start of the next; varied, so that processes do not run at the same
   * moments.
   */
  readonly every: Duration.Input
  /** Logs the result of a successful run. */
  readonly report: (done: A) => Effect.Effect<void>
  /** Runs after a failed run, before the next run; its log lines include the failure. */
  readonly onFailure: Effect.Effect<void, never, R>
}

/** Runs `work` at once and repeatedly until interrupted; a failure ends one run, but not the repetition. */
export const repeatWork = <A, E, R, R2>(
  work: Effect.Effect<A, E, R>,
  { every, onFailure, report }: Repetition<A, R2>
): Effect.Effect<never, never, R | R2> =>
  Effect.matchEffect(work, {
    onSuccess: report,
    onFailure: (failed) => Effect.annotateLogs(onFailure, failureFields(failed))
  }).pipe(Effect.repeat(Schedule.jittered(Schedule.spaced(every))), Effect.andThen(Effect.never))
