import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** The tasks for which operators see the time of their last successful end. */
export const KEPT_TASKS = ["reset", "verify"] as const
export type KeptTask = (typeof KEPT_TASKS)[number]

/** The last run of a task that ended successfully. */
export interface TaskRun {
  readonly task: KeptTask
  /** Unix milliseconds. */
  readonly endedAt: number
  /** The number of problems that the run found. */
  readonly findings: number
}

/** Records the last successful runs of the tasks of all processes. Times are those of the storage's clock. */
export class TaskRuns extends Context.Service<
  TaskRuns,
  {
    /**
     * Claims the next run of a task for this process. Returns true if no run has begun within `everyMs` milliseconds,
     * or if the last run has not ended successfully and was not renewed within `retryMs`. Only one of several processes
     * that call it at once gets the claim.
     */
    begin(input: {
      readonly task: KeptTask
      readonly everyMs: number
      readonly retryMs: number
    }): Effect.Effect<boolean, StorageFailed>
    /** Renews the claim on the running run of a task: its time counts from now on. */
    renew(task: KeptTask): Effect.Effect<void, StorageFailed>
    /** Records that a run has ended successfully, with the number of problems that it found. */
    end(task: KeptTask, findings: number): Effect.Effect<void, StorageFailed>
    /** The last successful runs; tasks that have never ended successfully are left out. */
    readonly ended: Effect.Effect<ReadonlyArray<TaskRun>, StorageFailed>
  }
>()("@parley/core/background/TaskRuns") {}
