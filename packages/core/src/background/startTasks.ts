import { Effect, Fiber, Option, type Scope } from "effect"
import type { BackgroundTask } from "./BackgroundTask.ts"
import { superviseTask } from "./superviseTask.ts"

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
 * Starts every task of `tasks`; a failure of one affects neither the others nor the caller. When the scope closes, all
 * are stopped at once, each within its time limit.
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
