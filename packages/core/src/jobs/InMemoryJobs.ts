import { Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { cursorOf, pageOf } from "../storage/Cursor.ts"
import type { JobProgress } from "./JobKind.ts"
import type { JobPage, JobQuery, JobRecord } from "./JobRecord.ts"

const DAY_MS = 24 * 60 * 60 * 1000

/** The retention of a job after its end, in milliseconds. */
export const KEPT_MS = { done: DAY_MS, failed: 30 * DAY_MS } as const

/** A job in memory. */
export interface HeldJob {
  readonly id: string
  readonly kind: string
  readonly owner: UserId
  readonly payload: Schema.Json
  readonly twin: string
  readonly triesMax: number
  /** The time of creation in microseconds, so that jobs enqueued within the same millisecond keep their order. */
  readonly createdMicros: number
  readonly state: JobRecord["state"]
  readonly tries: number
  /** Unix milliseconds: the next try may begin then; only used while the job waits. */
  readonly dueAt: number
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  /** True if the job was requested again while a try runs. */
  readonly again: boolean
  /** True if the job had failed and was started again by `retry`. */
  readonly retried: boolean
}

/** Makes a newly enqueued job. */
export const asked = (
  job: Pick<HeldJob, "id" | "kind" | "owner" | "payload" | "twin" | "triesMax" | "createdMicros">,
  now: number,
  retried = false
): HeldJob => ({
  id: job.id,
  kind: job.kind,
  owner: job.owner,
  payload: job.payload,
  twin: job.twin,
  triesMax: job.triesMax,
  createdMicros: job.createdMicros,
  state: "waiting",
  tries: 0,
  dueAt: now,
  startedAt: undefined,
  endedAt: undefined,
  again: false,
  retried
})

/** Returns the record of a job for callers. */
export const recordOf = (job: HeldJob, progress: JobProgress | undefined): JobRecord => ({
  id: job.id,
  kind: job.kind,
  owner: job.owner,
  payload: job.payload,
  state: job.state,
  tries: job.tries,
  triesMax: job.triesMax,
  progress: job.state === "running" ? progress : undefined,
  createdAt: Math.floor(job.createdMicros / 1000),
  dueAt: job.state === "waiting" ? job.dueAt : undefined,
  startedAt: job.startedAt,
  endedAt: job.endedAt
})

type Position = Pick<HeldJob, "createdMicros" | "id">

const newestFirst = (a: Position, b: Position): number =>
  b.createdMicros - a.createdMicros || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

/** The position in a list: microseconds since 1970, and a job's id. */
export const JobPosition = Schema.Tuple([Schema.Number, Schema.String])

/** Returns a page of the jobs for which `mayBeSeen` is true, newest first. */
export const pageOfJobs = (
  jobs: Iterable<HeldJob>,
  mayBeSeen: (job: HeldJob) => boolean,
  { kind, limit, state }: JobQuery,
  after: typeof JobPosition.Type | undefined,
  progressOf: (id: string) => JobProgress | undefined
): JobPage => {
  const from = after && { createdMicros: after[0], id: after[1] }
  const found = [...jobs]
    .filter((job) => mayBeSeen(job) && job.state === (state ?? job.state) && job.kind === (kind ?? job.kind))
    .filter((job) => from === undefined || newestFirst(from, job) < 0)
    .toSorted(newestFirst)
  const { next, rows } = pageOf(found, limit, ({ createdMicros, id }) => cursorOf(createdMicros, id))
  return { jobs: rows.map((job) => recordOf(job, progressOf(job.id))), next }
}
