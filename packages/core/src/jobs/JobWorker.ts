import { Context, Effect, Layer, type Scope } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { HandledJob, JobKind } from "./JobKind.ts"
import { JobQueue } from "./JobQueue.ts"

/** Works on queued jobs of the kinds that it was built with. */
export class JobWorker extends Context.Service<
  JobWorker,
  {
    /** Works on queued jobs until the scope closes. Any number of processes may do so at once. */
    readonly work: Effect.Effect<void, StorageFailed, Scope.Scope>
  }
>()("@parley/core/jobs/JobWorker") {
  /** A worker for these kinds. */
  static readonly layerOf = <R>(
    jobs: ReadonlyArray<HandledJob<JobKind, R>>
  ): Layer.Layer<JobWorker, never, JobQueue | R> =>
    Layer.effect(
      JobWorker,
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const handlers = yield* Effect.all(jobs.map(({ handler }) => handler))
        return JobWorker.of({ work: queue.work(handlers) })
      })
    )
}
