import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** Milliseconds without a heartbeat after which a worker counts as dead: it has then missed three heartbeats. */
export const WORKER_ALIVE_MS = 35_000

/** The workers of all processes, and the waiting jobs. Times are those of the storage's clock. */
export interface WorkState {
  /** The number of workers with a recent heartbeat that have not stopped. */
  readonly alive: number
  /** Milliseconds since the last heartbeat of any worker; undefined if there never was one. */
  readonly lastSeenMs: number | undefined
  /** The number of jobs that are due. */
  readonly due: number
  /** Milliseconds for which the oldest due job has been due; undefined if there is none. */
  readonly oldestDueMs: number | undefined
}

/** Records which workers are alive, so that operators see dead ones. */
export class WorkerRegistry extends Context.Service<
  WorkerRegistry,
  {
    /** Stores a heartbeat of a worker (a UUID), and deletes workers that died a day ago or earlier. */
    beat(worker: string): Effect.Effect<void, StorageFailed>
    /** Records that a worker has stopped in an orderly way. */
    leave(worker: string): Effect.Effect<void, StorageFailed>
    /** Returns the state of the work; a heartbeat is recent for `aliveMs` milliseconds. */
    state(input: { readonly aliveMs: number }): Effect.Effect<WorkState, StorageFailed>
  }
>()("@parley/core/jobs/WorkerRegistry") {}
