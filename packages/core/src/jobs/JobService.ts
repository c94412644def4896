import { Context, Effect, Layer, Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { isUuid } from "../storage/storedForms.ts"
import { cursorOfText } from "../storage/Cursor.ts"
import { Id, type InvalidInput, inputsOf, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { type JobNotFailed, JobNotFound } from "./errors.ts"
import { JobQueue } from "./JobQueue.ts"
import { JOB_STATES, type JobPage, type JobRecord } from "./JobRecord.ts"

/** Selects jobs for operators, newest first. */
export const JobsAsked = Schema.Struct({
  /** Only jobs of this person; jobs of all people unless given. */
  userId: Schema.optional(UserId),
  state: Schema.optional(Schema.Literals(JOB_STATES)),
  /** The tag of a kind, for example `ProcessDocument`. */
  kind: Schema.optional(Schema.String),
  /** The maximum number of jobs: 50 unless given, at most 1,000. */
  limit: Schema.optional(PageLimit),
  /** The `next` of the previous page. */
  after: Schema.optional(Id)
})
export type JobsAsked = typeof JobsAsked.Type

const PAGE = 50

/** The queued work, for operators. */
export class JobService extends Context.Service<
  JobService,
  {
    /** Returns a page of jobs: those that are done are listed for a day, failed ones for a month. */
    list(asked?: JobsAsked): Effect.Effect<JobPage, InvalidInput | StorageFailed>
    /** Runs a failed job again, with all its tries. Returns the job that will run. */
    retry(userId: UserId, jobId: string): Effect.Effect<JobRecord, JobNotFound | JobNotFailed | StorageFailed>
  }
>()("@parley/core/jobs/JobService") {
  static readonly inputs = inputsOf<JobService["Service"]>()({
    list: [{ asked: Schema.UndefinedOr(JobsAsked) }],
    retry: [{ userId: UserId }, { jobId: Id }]
  })
  static readonly layer = Layer.effect(
    JobService,
    Effect.map(JobQueue, (jobs) =>
      JobService.of({
        list: ({ after, limit = PAGE, userId, ...query } = {}) =>
          jobs.list(userId, { ...query, after: cursorOfText(after), limit }),
        retry: (userId, jobId) => (isUuid(jobId) ? jobs.retry(userId, jobId) : Effect.fail(new JobNotFound({ jobId })))
      })
    )
  )
}
