import { DocumentService } from "@parley/core"
import { Effect, Schedule } from "effect"

/** Works on queued documents until interrupted; begins anew where the queue cannot be reached. */
export const workOnDocuments: Effect.Effect<void, never, DocumentService> = DocumentService.use((documents) =>
  Effect.scoped(Effect.andThen(documents.work, Effect.never))
).pipe(
  Effect.tapError((error) =>
    Effect.annotateLogs(Effect.logWarning("Documents are not being processed; trying again in 5 seconds."), {
      operation: error.operation
    })
  ),
  Effect.retry(Schedule.spaced("5 seconds")),
  Effect.orDie
)
