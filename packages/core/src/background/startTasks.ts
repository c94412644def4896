import { Cause, Clock, Effect, Exit, Fiber, Option, Random, type Scope } from "effect"
import { type FailureFields, failureFields } from "../storage/failureFields.ts"

/**
 * The pause after a failure: doubled with each consecutive failure, and varied so that processes do not restart
 * together.
 */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 30_000
/** A task that has run for this long counts as recovered: the pause after its next failure is again the first one. */
const RECOVERED_MS = 60_000

const restMs = (failuresInARow: number): number =>
  Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(failuresInARow - 1, 10))

const describe = (exit: Exit.Exit<never, unknown>): FailureFields =>
  failureFields(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined)

/** Runs a task until interrupted; if the task ends in any other way, logs that and restarts it after a pause. */
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
      yield* Effect.logWarning(`${consequence}; the task restarts in ${(rest / 1000).toFixed(1)} seconds.`).pipe(
        Effect.annotateLogs({ task: name, ...describe(exit) })
      )
      yield* Effect.sleep(rest)
    }
  })

interface RunningTask {
  readonly name: string
  readonly stopWithinMs: number
  readonly fiber: Fiber.Fiber<never>
}

/** Interrupts a task; if it does not end in time, stops waiting for it. */
const stopTask = ({ fiber, name, stopWithinMs }: RunningTask): Effect.Effect<void> =>
  Effect.sync(() => fiber.interruptUnsafe()).pipe(
    Effect.andThen(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), stopWithinMs))),
    Effect.flatMap((ended) =>
      Option.isSome(ended)
        ? Effect.void
        : Effect.logWarning(`A background task did not stop within ${stopWithinMs / 1000} seconds.`).pipe(
            Effect.annotateLogs({ task: name })
          )
    )
  )

/**
 * Starts all tasks; a failure of one affects neither the others nor the caller. When the scope closes, all tasks are
 * stopped at the same time, each within its time limit.
 */
export const startTasks = <R>(
  tasks: Readonly<Record<string, BackgroundTask<R>>>
): Effect.Effect<void, never, Exclude<R, Scope.Scope> | Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.forEach(Object.entries(tasks), ([name, task]) =>
        Effect.map(Effect.forkDetach(Effect.interruptible(superviseTask(name, task))), (fiber): RunningTask => ({
          name,
          stopWithinMs: task.stopWithinMs,
          fiber
        }))
      ),
      (running) => Effect.forEach(running, stopTask, { concurrency: "unbounded", discard: true })
    )
  )

/** One kind of background work, which a process does until it ends. */
export interface BackgroundTask<R = never> {
  /** The consequence for a log line if no process runs the task: "Uploaded documents are not being read". */
  readonly consequence: string
  /**
   * Works until interrupted, in a scope that is then closed. Logs its own results. After a failure, which is logged for
   * it, it is restarted in a new scope. Any number of processes may run it at once.
   */
  readonly run: Effect.Effect<never, unknown, R | Scope.Scope>
  /** The milliseconds within which the task must stop; afterwards the process stops waiting for it. */
  readonly stopWithinMs: number
}
