import { Context, Effect, Layer } from "effect"
import { repeatWork } from "../../background/repeatWork.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { type FilesMoved, FileStore, NOTHING_MOVED } from "./FileStore.ts"

/** The number of files in one call. Each file is in memory while it is moved. */
const BATCH = 20
/** The time between two checks. */
const BETWEEN_LOOKS = "1 minute"

/**
 * Moves uploaded bytes to the object store. They are first stored with their document in one transaction and moved
 * later, so that no upload waits for the object store, and no bytes are lost while it is unavailable.
 */
export class FileMover extends Context.Service<
  FileMover,
  {
    /** Moves all waiting files, and removes those that are no longer needed. */
    readonly move: Effect.Effect<FilesMoved, StorageFailed>
    /** Runs `move` at once and every minute until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/documents/FileMover") {
  static readonly layer = Layer.effect(
    FileMover,
    Effect.gen(function* () {
      const files = yield* FileStore
      const move = Effect.gen(function* () {
        let { moved, removed } = NOTHING_MOVED
        for (;;) {
          const done = yield* files.move({ limit: BATCH })
          moved += done.moved
          removed += done.removed
          if (done.moved < BATCH && done.removed < BATCH) return { moved, removed }
        }
      })
      const run = repeatWork(move, {
        every: BETWEEN_LOOKS,
        report: ({ moved, removed }) =>
          moved + removed === 0
            ? Effect.void
            : Effect.annotateLogs(Effect.logInfo("Moved uploaded files to the object store."), { moved, removed }),
        onFailure: Effect.logWarning("Uploaded files could not be moved to the object store; trying again in a minute.")
      })
      return FileMover.of({ move, run })
    })
  )
}
