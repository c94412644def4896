import type { Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { WORKER_ALIVE_MS, type WorkState, WorkerRegistry } from "./WorkerRegistry.ts"

/** Milliseconds: a job that has been due for longer is reported as a problem. */
const JOB_WAITS_MS = 60_000

/** A finding about the background work, for the readiness check and `doctor`. */
export interface WorkFinding {
  readonly name: "workers" | "jobs"
  /** `unused`: no worker has ever run on this storage, so none is missing. */
  readonly status: "ok" | "failed" | "unused"
  /** A sentence without personal data. */
  readonly detail: string
}

const secondsOf = (milliseconds: number): number => Math.round(milliseconds / 1_000)

const workersOf = ({ alive, due, lastSeenMs }: WorkState): WorkFinding => {
  if (alive > 0) return { name: "workers", status: "ok", detail: `${alive} alive` }
  if (lastSeenMs !== undefined) {
    const detail = `no process does background work; the last sign of one is ${secondsOf(lastSeenMs)} seconds old`
    return { name: "workers", status: "failed", detail }
  }
  return { name: "workers", status: due > 0 ? "failed" : "unused", detail: "no process has done background work yet" }
}

const jobsOf = ({ due, oldestDueMs = 0 }: WorkState): WorkFinding =>
  oldestDueMs > JOB_WAITS_MS
    ? { name: "jobs", status: "failed", detail: `${due} are due, the oldest for ${secondsOf(oldestDueMs)} seconds` }
    : { name: "jobs", status: "ok", detail: due === 0 ? "none is due" : `${due} are due` }

/**
 * Returns the findings of a state: whether a worker is alive, and whether a job has been due for longer than a minute.
 */
export const workFindings = (state: WorkState): ReadonlyArray<WorkFinding> => [workersOf(state), jobsOf(state)]

/** Reads the state of the background work of all processes. */
export const workState: Effect.Effect<WorkState, StorageFailed, WorkerRegistry> = WorkerRegistry.use((registry) =>
  registry.state({ aliveMs: WORKER_ALIVE_MS })
)
