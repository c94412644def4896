import { Context, Effect, Layer, type Scope } from "effect"
import { repeatWork } from "../background/repeatWork.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { HandledJob, JobKind } from "./JobKind.ts"
import { JobQueue } from "./JobQueue.ts"
import { WorkerRegistry } from "./WorkerRegistry.ts"

/** The time between two heartbeats of a worker. */
const BEAT = "10 seconds"

/** The wait before the preparation, because a process that starts has more urgent work. */
const BEFORE_PREPARING = "1 second"

/** Works on queued jobs of the kinds for which it was built. */
export class JobWorker extends Context.Service<
  JobWorker,
  {
    /**
     * Works on queued jobs, and reports itself as a worker, until the scope closes. Any number of processes may do so
     * at once.
     */
    readonly work: Effect.Effect<void, StorageFailed, Scope.Scope>
  }
>()("@parley/core/jobs/JobWorker") {
  /** Builds a worker for these kinds. */
  static readonly layerOf = <R>(
    jobs: ReadonlyArray<HandledJob<JobKind, R>>
  ): Layer.Layer<JobWorker, never, JobQueue | WorkerRegistry | R> =>
    Layer.effect(
      JobWorker,
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const registry = yield* WorkerRegistry
        const worker = yield* (yield* IdGenerator).next
        const beating = repeatWork(registry.beat(worker), {
          every: BEAT,
          report: () => Effect.void,
          onFailure: Effect.logDebug("A sign of life of this worker could not be stored.")
        })
        const handlers = yield* Effect.all(jobs.map(({ handler }) => handler))
        const preparing = Effect.forEach(handlers, ({ prepare = Effect.void }) => prepare, { discard: true })
        const work = Effect.gen(function* () {
          yield* Effect.addFinalizer(() => Effect.ignore(registry.leave(worker)))
          yield* Effect.forkScoped(beating)
          yield* queue.work(handlers)
          yield* Effect.forkScoped(Effect.delay(preparing, BEFORE_PREPARING))
        })
        return JobWorker.of({ work })
      })
    )
}
