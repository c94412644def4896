import { Schema } from "effect"
import { JOB_STATES } from "./JobRecord.ts"

/** The owner has no job with this id: it never existed, or its retention time has ended. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("JobNotFound", { jobId: Schema.String }) {
  readonly code = "job_not_found"
  override get message() {
    return `There is no job ${this.jobId} of this owner. Jobs that ended are forgotten after some time.`
  }
}

/** Only a job whose last try failed can be retried on request; other jobs are retried automatically. */
export class JobNotFailed extends Schema.TaggedError<JobNotFailed>()("JobNotFailed", {
  jobId: Schema.String,
  state: Schema.Literals(JOB_STATES)
}) {
  readonly code = "job_not_failed"
  override get message() {
    return `The job ${this.jobId} has not failed: it is ${this.state}. Only failed jobs can be retried.`
  }
}
