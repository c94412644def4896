import { JobWorker } from "@parley/core"
import { Effect, Schedule } from "effect"

/** Works on queued jobs until interrupted; begins anew where the queue cannot be reached. */
export const workOnJobs: Effect.Effect<void, never, JobWorker> = JobWorker.use((worker) =>
  Effect.scoped(Effect.andThen(worker.work, Effect.never))
).pipe(
  Effect.tapError((error) =>
    Effect.annotateLogs(Effect.logWarning("Queued jobs are not being worked on; trying again in 5 seconds."), {
      operation: error.operation
    })
  ),
  Effect.retry(Schedule.spaced("5 seconds")),
  Effect.orDie
)
