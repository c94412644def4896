import { Clock, Effect, Fiber, Latch, Layer, Option } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { type Attempt, type Job, JobQueue } from "./JobQueue.ts"

export interface InMemoryJobQueueOptions {
  /** How often a job is tried at most; 3 unless given. */
  readonly tries?: number
  /** Milliseconds until the second try, doubled for each further one; 1,000 unless given. */
  readonly retryDelayMs?: number
  /** Milliseconds a running try may still take once the worker stops; 10,000 unless given. */
  readonly stopTimeoutMs?: number
}

interface QueuedJob {
  readonly job: Job
  readonly tries: number
  /** Unix milliseconds; undefined while a try runs. */
  readonly dueAt: number | undefined
}

type Next = { readonly queued: QueuedJob } | { readonly waitMs: number | undefined }

const makeWith = ({ tries = 3, retryDelayMs = 1000, stopTimeoutMs = 10_000 }: InMemoryJobQueueOptions) =>
  Effect.gen(function* () {
    const storage = yield* InMemoryStorage
    const jobs = yield* storage.table<string, QueuedJob>()
    /** Open while there may be something to take. */
    const work = Latch.makeUnsafe(false)

    const next = Effect.map(Clock.currentTimeMillis, (now): Next => {
      let dueAt: number | undefined
      for (const [key, queued] of jobs) {
        if (queued.dueAt === undefined) continue
        if (queued.dueAt <= now) {
          jobs.set(key, { ...queued, tries: queued.tries + 1, dueAt: undefined })
          return { queued: { ...queued, tries: queued.tries + 1 } }
        }
        dueAt = Math.min(dueAt ?? queued.dueAt, queued.dueAt)
      }
      work.closeUnsafe()
      return { waitMs: dueAt === undefined ? undefined : dueAt - now }
    })

    const finish = (queued: QueuedJob, succeeded: boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = queued.job.documentId
        if (succeeded || queued.tries >= tries) jobs.delete(key)
        else jobs.set(key, { ...queued, dueAt: now + retryDelayMs * 2 ** (queued.tries - 1) })
        work.openUnsafe()
      })

    const attempt = (queued: QueuedJob, handler: (attempt: Attempt) => Effect.Effect<void, unknown>) =>
      Effect.flatMap(Effect.exit(handler({ job: queued.job, last: queued.tries >= tries })), (exit) =>
        storage.exclusive(finish(queued, exit._tag === "Success"))
      )

    return JobQueue.of({
      enqueue: (job) =>
        storage.exclusive(
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (!jobs.has(job.documentId)) jobs.set(job.documentId, { job, tries: 0, dueAt: now })
            work.openUnsafe()
          })
        ),
      work: (handler) => {
        let stopping = false
        const step = Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const found = yield* storage.exclusive(next)
            if ("queued" in found) return yield* attempt(found.queued, (each) => restore(handler(each)))
            const opened = restore(work.await)
            yield* found.waitMs === undefined ? opened : Effect.timeoutOption(opened, found.waitMs)
          })
        )
        const loop = Effect.whileLoop({ while: () => !stopping, body: () => step, step: () => undefined })
        const stop = (worker: Fiber.Fiber<void>) =>
          Effect.gen(function* () {
            stopping = true
            work.openUnsafe()
            const ended = yield* Effect.timeoutOption(Fiber.await(worker), stopTimeoutMs)
            if (Option.isNone(ended)) yield* Fiber.interrupt(worker)
          })
        return Effect.asVoid(Effect.acquireRelease(Effect.forkDetach(loop), stop))
      }
    })
  })

const layerWith = (options: InMemoryJobQueueOptions) =>
  Layer.effect(JobQueue, makeWith(options)).pipe(Layer.provide(InMemoryStorage.layer))

/** Jobs in the memory of one process, where they end with it: for tests, and for trying the product out. */
export const InMemoryJobQueue = { layer: layerWith({}), layerWith }
