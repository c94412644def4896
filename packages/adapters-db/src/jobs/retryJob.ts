import { isUuid, JobNotFailed, JobNotFound, type JobRecord } from "@parley/core/adapter"
import type { UserId } from "@parley/core"
import { Effect } from "effect"
import type { Row } from "../database/Database.ts"
import { enqueueJob } from "./enqueueJob.ts"
import type { JobParts } from "./jobParts.ts"
import type { ListedJob, StoredJob } from "./jobSql.ts"
import { recordOf } from "./listJobs.ts"

const STATE_OF: Readonly<Record<string, JobRecord["state"]>> = { active: "running", completed: "done" }

/** Enqueues a failed job anew under its id, or has its twin stand for it; gives the job that does. */
export const retryJob = (parts: JobParts) => {
  const { boss, owner: database, text } = parts
  const enqueue = enqueueJob(parts)
  return Effect.fnUntraced(function* (owner: UserId, jobId: string) {
    if (!isUuid(jobId)) return yield* new JobNotFound({ jobId })
    yield* boss
    return yield* database.asOwner((sql) =>
      Effect.gen(function* () {
        const [job] = yield* sql.query<StoredJob & { state: string } & Row>(text.lockJob, [owner, jobId])
        if (job === undefined) return yield* new JobNotFound({ jobId })
        const { id, kind, payload, retryLimit, state, twin } = job
        if (state !== "failed") return yield* new JobNotFailed({ jobId, state: STATE_OF[state] ?? "waiting" })
        yield* sql.query(text.remove, [id])
        const standing = yield* enqueue({ id, kind, payload, owner, twin, retryLimit, retried: true })
        const [listed] = yield* sql.query<ListedJob & Row>(text.find, [owner, standing])
        return listed === undefined ? yield* new JobNotFound({ jobId }) : recordOf(listed)
      })
    )
  })
}
