import { Effect } from "effect"
import type { DatabaseError } from "../database/Database.ts"
import { callBoss, type JobParts, joinedDatabase } from "./jobParts.ts"
import type { Claim } from "./jobSql.ts"
import { DOCUMENTS_QUEUE } from "./startBoss.ts"

/** How a try ended: `cut-short` is one whose worker stopped or died, of which the next one need not wait. */
export type TryEnd = "done" | "failed" | "cut-short"

/** What the queue keeps of a failure: what went wrong is the handler's to tell, and may speak of a document. */
const FAILED = { message: "The try failed." }

/**
 * Ends a try, and in the same transaction queues the job anew where it was asked for meanwhile. Does nothing where the
 * claim is gone, so that a worker that was taken for dead cannot end the try of another. Where somebody else ends it, for
 * its silence since the sign of life `silentSince`, nothing is done either unless that is its last sign still, and it
 * could give another. Gives whether the try was ended.
 */
export const settleTry = ({ boss, owner, text, wake }: JobParts) =>
  Effect.fnUntraced(function* (
    claim: Claim,
    end: TryEnd,
    silentSince?: string
  ): Effect.fn.Return<boolean, DatabaseError> {
    const queue = yield* boss
    const { documentId, id, retryCount, retryLimit, userId } = claim
    const lock = silentSince === undefined ? text.lockClaim : text.lockSilent
    const facts = [id, retryCount, ...(silentSince === undefined ? [] : [silentSince])]
    const ended = yield* owner.asOwner((sql) =>
      Effect.gen(function* () {
        const [held] = yield* sql.query<{ again: boolean }>(lock, facts)
        if (held === undefined) return false
        const db = yield* joinedDatabase(owner)
        const tried = { id, retryCount }
        if (end === "done") yield* callBoss(() => queue.complete(DOCUMENTS_QUEUE, tried, null, { db }))
        else yield* callBoss(() => queue.fail(DOCUMENTS_QUEUE, tried, FAILED, { db }))
        if (end !== "done" && retryCount < retryLimit) {
          yield* sql.query(text.tryAgain, [id, end === "cut-short"])
        } else if (held.again) {
          const options = { singletonKey: documentId, group: { id: userId }, db }
          yield* callBoss(() => queue.send(DOCUMENTS_QUEUE, { documentId, userId }, options))
        }
        return true
      })
    )
    wake()
    return ended
  })
