import { Context, Effect, Layer } from "effect"
import { repeatWork } from "../../background/repeatWork.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"
import type { Cursor } from "../../storage/Cursor.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { DocumentKey } from "../Document.ts"
import { DocumentStore } from "../storing/DocumentStore.ts"
import { ProcessDocument } from "./processDocument.ts"
import { ReindexStore } from "../indexing/reindexing/ReindexStore.ts"

/** The number of documents in one query. */
const BATCH = 100
/** The time between two checks. */
const BETWEEN_LOOKS = "1 minute"

/**
 * Enqueues jobs for documents that are `processing` although no job of theirs waits or runs: the server died during the
 * last try, or the queue was restored, emptied or moved. Also removes data of runs of re-indexing that were not
 * continued.
 */
export class DocumentRequeue extends Context.Service<
  DocumentRequeue,
  {
    /** Enqueues jobs for documents without one; returns their number. */
    readonly requeue: Effect.Effect<number, StorageFailed>
    /** Runs `requeue` at once and every minute until interrupted; also removes old runs of re-indexing. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/documents/DocumentRequeue") {
  static readonly layer = Layer.effect(
    DocumentRequeue,
    Effect.gen(function* () {
      const documents = yield* DocumentStore
      const jobs = yield* JobQueue
      const reindexing = yield* ReindexStore
      const ensure = (userId: string, owned: ReadonlyArray<DocumentKey>) =>
        jobs.ensure(
          userId,
          ProcessDocument,
          owned.map(({ documentId }) => ({ documentId }))
        )
      const requeue = Effect.gen(function* () {
        let enqueued = 0
        let after: Cursor | undefined
        do {
          const { next, rows } = yield* documents.listByStatus({ status: "processing", after, limit: BATCH })
          const batch = rows.map(({ id, userId }) => ({ userId, documentId: id }))
          for (const [userId, owned] of Map.groupBy(batch, (document) => document.userId)) {
            enqueued += yield* ensure(userId, owned)
          }
          after = next
        } while (after !== undefined)
        return enqueued
      })
      const run = repeatWork(Effect.andThen(reindexing.sweep, requeue), {
        every: BETWEEN_LOOKS,
        report: (enqueued) =>
          enqueued === 0
            ? Effect.void
            : Effect.annotateLogs(Effect.logWarning("Found documents without a job, and enqueued them."), { enqueued }),
        onFailure: Effect.logWarning("Documents without a job could not be looked for; they are in a minute.")
      })
      return DocumentRequeue.of({ requeue, run })
    })
  )
}
