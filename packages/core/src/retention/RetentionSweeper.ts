import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { repeatWork } from "../background/repeatWork.ts"
import { ImageStore } from "../chat/images/ImageStore.ts"
import { ChatRecords, type RemoveUnusedInput } from "../chat/store/ChatStore.ts"
import { makeRemoveFiles } from "../chat/store/ConversationFiles.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Retention } from "./Retention.ts"

/** The maximum number of messages, or of entries of the audit log, that one call deletes. */
const PER_CALL = 1_000
/** The maximum number of images, of up to two megabytes each, that one call deletes. */
const IMAGES_PER_CALL = 100

/** The numbers of deleted items of a sweep. */
export interface RetentionSwept {
  readonly chats: number
  readonly conversations: number
  readonly auditEntries: number
  /** The number of deleted images that no message had contained for a day. */
  readonly images: number
}

/**
 * Deletes chats, visitors' conversations and entries of the audit log after the times in `Retention`, and images that
 * no message contains. Works in small transactions: the next sweep continues an interrupted one. Any number of servers
 * may sweep at once. The storage's clock decides, so a server with a wrong clock deletes nothing too early. The ledger
 * is never changed.
 */
export class RetentionSweeper extends Context.Service<
  RetentionSweeper,
  {
    /** Deletes everything that was stored for longer than its retention. */
    readonly sweep: Effect.Effect<RetentionSwept, StorageFailed>
    /** Sweeps every hour until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/retention/RetentionSweeper") {
  static readonly layer = Layer.effect(
    RetentionSweeper,
    Effect.gen(function* () {
      const sweep = yield* makeSweep
      return RetentionSweeper.of({
        sweep,
        run: repeatWork(sweep, {
          every: "1 hour",
          report: (swept) =>
            swept.chats + swept.conversations + swept.auditEntries + swept.images === 0
              ? Effect.void
              : Effect.annotateLogs(Effect.logInfo("Deleted what was kept for long enough."), { ...swept }),
          onFailure: Effect.logWarning(
            "Old chats and entries of the audit log could not be deleted; trying again in an hour."
          )
        })
      })
    })
  )
}

const makeSweep = Effect.gen(function* () {
  const records = yield* ChatRecords
  const audit = yield* AuditLog
  const images = yield* ImageStore
  const removeFiles = yield* makeRemoveFiles
  const { chatsMs, logsMs, visitorsMs } = yield* Retention

  const sweepChats = Effect.fnUntraced(function* (whose: RemoveUnusedInput["whose"], unusedForMs: number | undefined) {
    if (unusedForMs === undefined) return 0
    if (whose === "visitors") yield* removeFiles({ unusedForMs })
    for (let total = 0; ;) {
      const removed = yield* records.removeUnused({ whose, unusedForMs, limit: PER_CALL })
      if (removed === 0) return total
      total += removed
    }
  })
  const sweepAudit = Effect.fnUntraced(function* (keptMs: number | undefined) {
    if (keptMs === undefined) return 0
    for (let total = 0; ;) {
      const removed = yield* audit.removeOld({ keptMs, limit: PER_CALL })
      total += removed
      if (removed < PER_CALL) return total
    }
  })

  const sweepImages = Effect.gen(function* () {
    for (let total = 0; ;) {
      const removed = yield* images.removeUnused(IMAGES_PER_CALL)
      total += removed
      if (removed < IMAGES_PER_CALL) return total
    }
  })

  return Effect.gen(function* () {
    return {
      chats: yield* sweepChats("people", chatsMs),
      conversations: yield* sweepChats("visitors", visitorsMs),
      auditEntries: yield* sweepAudit(logsMs),
      images: yield* sweepImages
    }
  })
})
