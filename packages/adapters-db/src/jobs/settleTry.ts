import { Effect } from "effect"
import type { DatabaseError } from "../database/Database.ts"
import { sendJob } from "./enqueueJob.ts"
import { callBoss, type JobParts, joinedDatabase } from "./jobParts.ts"
import type { Claim } from "./jobSql.ts"
import { JOBS_QUEUE } from "./startBoss.ts"

/** How a try ended. Of one that was cut short, since its worker stopped or died, the next one need not wait. */
export type TryEnd =
  | { readonly _tag: "done" | "cut-short" }
  | { readonly _tag: "failed"; readonly retryDelayMs: number }

/** What the queue keeps of a failure: what went wrong is the handler's to tell, and may speak of somebody's data. */
const FAILED = { message: "The try failed." }

/**
 * Ends a try, and in the same transaction queues the job anew where it was asked for meanwhile. Does nothing where the
 * claim is gone, so that a worker that was taken for dead cannot end the try of another. Where somebody else ends it, for
 * its silence since the sign of life `silentSince`, nothing is done either unless that is its last sign still, and it
 * could give another. Gives whether the try was ended.
 */
export const settleTry = (parts: JobParts) => {
  const { boss, owner, text, wake } = parts
  const send = sendJob(parts)
  return Effect.fnUntraced(function* (
    claim: Claim,
    end: TryEnd,
    silentSince?: string
  ): Effect.fn.Return<boolean, DatabaseError> {
    const queue = yield* boss
    const { id, kind, payload, retryCount, retryLimit, twin } = claim
    const lock = silentSince === undefined ? text.lockClaim : text.lockSilent
    const facts = [id, retryCount, ...(silentSince === undefined ? [] : [silentSince])]
    const ended = yield* owner.asOwner((sql) =>
      Effect.gen(function* () {
        const [held] = yield* sql.query<{ again: boolean }>(lock, facts)
        if (held === undefined) return false
        const db = yield* joinedDatabase(owner)
        const tried = { id, retryCount }
        if (end._tag === "done") yield* callBoss(() => queue.complete(JOBS_QUEUE, tried, null, { db }))
        else yield* callBoss(() => queue.fail(JOBS_QUEUE, tried, FAILED, { db }))
        if (end._tag !== "done" && retryCount < retryLimit) {
          yield* sql.query(text.tryAgain, [id, end._tag === "failed" ? end.retryDelayMs : 0])
        } else if (held.again) {
          yield* send({ kind, payload, owner: claim.owner, twin, retryLimit })
        }
        return true
      })
    )
    wake()
    return ended
  })
}
