import { Clock, Effect, Layer } from "effect"
import { type KeptTask, type TaskRun, TaskRuns } from "./TaskRuns.ts"

/** Stores the runs of tasks in memory, by the clock of the process. */
export class InMemoryTaskRuns {
  static readonly layer: Layer.Layer<TaskRuns> = Layer.sync(TaskRuns, () => {
    const begun = new Map<KeptTask, number>()
    const ended = new Map<KeptTask, TaskRun>()
    const running = new Set<KeptTask>()
    const note = (task: KeptTask, now: number) => {
      begun.set(task, now)
      running.add(task)
    }
    return TaskRuns.of({
      begin: ({ everyMs, retryMs, task }) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const waitMs = running.has(task) ? Math.min(everyMs, retryMs) : everyMs
          const isDue = now - (begun.get(task) ?? -Infinity) >= waitMs
          if (isDue) note(task, now)
          return isDue
        }),
      renew: (task) => Effect.map(Clock.currentTimeMillis, (now) => note(task, now)),
      end: (task, findings) =>
        Effect.map(Clock.currentTimeMillis, (endedAt) => {
          running.delete(task)
          ended.set(task, { task, endedAt, findings })
        }),
      ended: Effect.sync(() => [...ended.values()])
    })
  })
}
