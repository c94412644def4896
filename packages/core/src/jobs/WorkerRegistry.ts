import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** The time after which a worker without a sign of life counts as dead: it has missed three signs then. Milliseconds. */
export const WORKER_ALIVE_MS = 35_000

/** The workers of all processes, and the jobs that wait for them. Times are those of the storage. */
export interface WorkState {
  /** The number of workers with a recent sign of life that have not stopped. */
  readonly alive: number
  /** Milliseconds since the last sign of life of any worker; undefined if there never was one. */
  readonly lastSeenMs: number | undefined
  /** The number of jobs that are due. */
  readonly due: number
  /** Milliseconds for which the oldest of them has been due; undefined if there is none. */
  readonly oldestDueMs: number | undefined
}

/** Records which workers live, so that operators see a dead one. */
export class WorkerRegistry extends Context.Service<
  WorkerRegistry,
  {
    /** Stores a sign of life of a worker (a UUID), and forgets workers that died a day ago or longer. */
    beat(worker: string): Effect.Effect<void, StorageFailed>
    /** Records that a worker has stopped in an orderly way. */
    leave(worker: string): Effect.Effect<void, StorageFailed>
    /** The state of the work; a sign of life is recent for `aliveMs` milliseconds. */
    state(input: { readonly aliveMs: number }): Effect.Effect<WorkState, StorageFailed>
  }
>()("@parley/core/jobs/WorkerRegistry") {}
