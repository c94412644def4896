import type { JobRecord } from "@parley/core/adapter"

const moment = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString()

/** A job as `--json` prints it. */
export const jobRow = (job: JobRecord) => ({
  id: job.id,
  kind: job.kind,
  owner: job.owner,
  payload: job.payload,
  state: job.state,
  tries: job.tries,
  triesMax: job.triesMax,
  progress: job.progress ?? null,
  createdAt: moment(job.createdAt),
  dueAt: moment(job.dueAt),
  startedAt: moment(job.startedAt),
  endedAt: moment(job.endedAt)
})
