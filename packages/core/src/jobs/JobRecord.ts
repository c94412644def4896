import type { Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { Cursor } from "../storage/Cursor.ts"
import type { JobProgress } from "./JobKind.ts"

/** `waiting` for its first or next try, `running`, `done`, or `failed` with its last try. */
export const JOB_STATES = ["waiting", "running", "done", "failed"] as const
export type JobState = (typeof JOB_STATES)[number]

/** The record of a job for callers. All times in Unix milliseconds. */
export interface JobRecord {
  readonly id: string
  /** The tag of its kind, which need not be one this program knows. */
  readonly kind: string
  readonly owner: UserId
  /** As JSON. */
  readonly payload: Schema.Json
  readonly state: JobState
  /** Tries begun so far, and how many there may be. */
  readonly tries: number
  readonly triesMax: number
  /** Only while it runs, and once the try has reported any. */
  readonly progress: JobProgress | undefined
  readonly createdAt: number
  /** When its next try may begin; only while it waits. */
  readonly dueAt: number | undefined
  /** When its latest try began. */
  readonly startedAt: number | undefined
  /** When it was done, or failed with its last try. */
  readonly endedAt: number | undefined
}

/** Selects jobs, newest first. */
export interface JobQuery {
  readonly state?: JobState | undefined
  /** The tag of a kind. */
  readonly kind?: string | undefined
  /** The most jobs to return. */
  readonly limit: number
  /** `next` of the page before. */
  readonly after?: Cursor | undefined
}

export interface JobPage {
  readonly jobs: ReadonlyArray<JobRecord>
  /** The beginning of the next page; undefined for the last one. */
  readonly next: Cursor | undefined
}
