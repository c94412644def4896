import { Clock, Effect, Layer } from "effect"
import { type KeptTask, type TaskRun, TaskRuns } from "./TaskRuns.ts"

/** Keeps the runs of tasks in memory, by the clock of the process. */
export class InMemoryTaskRuns {
  static readonly layer: Layer.Layer<TaskRuns> = Layer.sync(TaskRuns, () => {
    const begun = new Map<KeptTask, number>()
    const ended = new Map<KeptTask, TaskRun>()
    return TaskRuns.of({
      begin: (task, everyMs) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const isDue = now - (begun.get(task) ?? -Infinity) >= everyMs
          if (isDue) begun.set(task, now)
          return isDue
        }),
      end: (task, findings) =>
        Effect.map(Clock.currentTimeMillis, (endedAt) => void ended.set(task, { task, endedAt, findings })),
      ended: Effect.sync(() => [...ended.values()])
    })
  })
}
