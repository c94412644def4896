import type { Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { Cursor } from "../storage/Cursor.ts"
import type { JobProgress } from "./JobKind.ts"

/** `waiting` for the first or next try; `running`; `done`; or `failed` with its last try. */
export const JOB_STATES = ["waiting", "running", "done", "failed"] as const
export type JobState = (typeof JOB_STATES)[number]

/** The record of a job for callers. All times in Unix milliseconds. */
export interface JobRecord {
  readonly id: string
  /** The tag of the job's kind, which this program may not know. */
  readonly kind: string
  readonly owner: UserId
  /** The payload as JSON. */
  readonly payload: Schema.Json
  readonly state: JobState
  /** The number of tries begun so far; `triesMax` is the maximum. */
  readonly tries: number
  readonly triesMax: number
  /** The progress of the running try; undefined until the try has reported any. */
  readonly progress: JobProgress | undefined
  readonly createdAt: number
  /** The time at which the next try may begin; only while the job waits. */
  readonly dueAt: number | undefined
  /** The time at which the latest try began. */
  readonly startedAt: number | undefined
  /** The time at which the job was done, or failed with its last try. */
  readonly endedAt: number | undefined
}

/** Selects jobs, newest first. */
export interface JobQuery {
  readonly state?: JobState | undefined
  /** The tag of a kind. */
  readonly kind?: string | undefined
  /** The maximum number of jobs. */
  readonly limit: number
  /** The `next` of the previous page. */
  readonly after?: Cursor | undefined
}

export interface JobPage {
  readonly jobs: ReadonlyArray<JobRecord>
  /** The position of the next page; undefined on the last page. */
  readonly next: Cursor | undefined
}
