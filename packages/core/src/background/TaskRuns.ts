import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** Tasks of which operators want to know when they last ended well. */
export const KEPT_TASKS = ["reset", "verify"] as const
export type KeptTask = (typeof KEPT_TASKS)[number]

/** The last run of a task that ended well. */
export interface TaskRun {
  readonly task: KeptTask
  /** Unix milliseconds. */
  readonly endedAt: number
  /** The number of problems that it found. */
  readonly findings: number
}

/** Records when the tasks of all processes last ended well. Times are those of the storage. */
export class TaskRuns extends Context.Service<
  TaskRuns,
  {
    /**
     * Takes the next run of a task for this process: true if no run has begun within `everyMs` milliseconds, or the
     * last one has not ended well and gave no sign of life within `retryMs`. Of any number of processes that ask at
     * once, one gets it.
     */
    begin(input: {
      readonly task: KeptTask
      readonly everyMs: number
      readonly retryMs: number
    }): Effect.Effect<boolean, StorageFailed>
    /** Gives a sign of life of the run that has begun: its time counts from now on. */
    renew(task: KeptTask): Effect.Effect<void, StorageFailed>
    /** Records that a run has ended well, with the number of problems that it found. */
    end(task: KeptTask, findings: number): Effect.Effect<void, StorageFailed>
    /** The last runs that ended well; none of a task that never did. */
    readonly ended: Effect.Effect<ReadonlyArray<TaskRun>, StorageFailed>
  }
>()("@parley/core/background/TaskRuns") {}
