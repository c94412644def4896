import { Clock, Effect, Fiber, Latch, Layer, Option } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { type Attempt, type Job, JobQueue } from "./JobQueue.ts"
import { Turns } from "./Turns.ts"

export interface InMemoryJobQueueOptions {
  /** How often a job is tried at most; 3 unless given. */
  readonly tries?: number
  /** Milliseconds until the second try, doubled for each further one; 1,000 unless given. */
  readonly retryDelayMs?: number
  /** How many jobs a worker works on at a time; 2 unless given. */
  readonly concurrency?: number
  /** Milliseconds a running try may still take once the worker stops; 10,000 unless given. */
  readonly stopTimeoutMs?: number
}

interface QueuedJob {
  readonly job: Job
  readonly userId: Job["userId"]
  readonly tries: number
  /** Unix milliseconds; undefined while a try runs. */
  readonly dueAt: number | undefined
  /** Asked for again while a try runs. */
  readonly again: boolean
}

type Next = { readonly queued: QueuedJob } | { readonly waitMs: number | undefined }
type Handler = (attempt: Attempt) => Effect.Effect<void, unknown>

const newlyQueued = (job: Job, dueAt: number): QueuedJob => ({
  job,
  userId: job.userId,
  tries: 0,
  dueAt,
  again: false
})

const makeWith = (options: InMemoryJobQueueOptions) =>
  Effect.gen(function* () {
    const { tries = 3, retryDelayMs = 1000, concurrency = 2, stopTimeoutMs = 10_000 } = options
    const storage = yield* InMemoryStorage
    const jobs = yield* storage.table<string, QueuedJob>()
    /** Open while there may be something to take. */
    const work = Latch.makeUnsafe(false)

    /** `stopping` keeps the latch open, so that nobody waits at it any more. */
    const next = (turns: Turns, stopping: () => boolean) =>
      Effect.map(Clock.currentTimeMillis, (now): Next => {
        const waiting = [...jobs.values()].filter(({ dueAt }) => dueAt !== undefined)
        const due = turns.next(waiting.filter(({ dueAt }) => dueAt! <= now))
        if (due !== undefined) {
          const queued = { ...due, tries: due.tries + 1, dueAt: undefined }
          jobs.set(due.job.documentId, queued)
          turns.begin(due.userId)
          return { queued }
        }
        if (!stopping()) work.closeUnsafe()
        const later = waiting.map(({ dueAt }) => dueAt! - now).filter((waitMs) => waitMs > 0)
        return { waitMs: later.length === 0 ? undefined : Math.min(...later) }
      })

    const finish = ({ job, tries: tried }: QueuedJob, succeeded: boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = job.documentId
        const over = succeeded || tried >= tries
        const again = jobs.get(key)?.again === true
        if (!over) jobs.set(key, { ...newlyQueued(job, now + retryDelayMs * 2 ** (tried - 1)), tries: tried })
        else if (again) jobs.set(key, newlyQueued(job, now))
        else jobs.delete(key)
        work.openUnsafe()
      })

    const attempt = (turns: Turns, queued: QueuedJob, handler: Handler) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(handler({ job: queued.job, last: queued.tries >= tries }))
        turns.end(queued.userId)
        yield* storage.exclusive(finish(queued, exit._tag === "Success"))
      })

    return JobQueue.of({
      enqueue: (job) =>
        storage.exclusive(
          Effect.map(Clock.currentTimeMillis, (now) => {
            const twin = jobs.get(job.documentId)
            if (twin === undefined) jobs.set(job.documentId, newlyQueued(job, now))
            else if (twin.dueAt === undefined) jobs.set(job.documentId, { ...twin, again: true })
            work.openUnsafe()
          })
        ),
      work: (handler) => {
        let stopping = false
        const turns = new Turns(concurrency)
        const step = Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const found = yield* storage.exclusive(next(turns, () => stopping))
            if ("queued" in found) return yield* attempt(turns, found.queued, (each) => restore(handler(each)))
            const opened = restore(work.await)
            yield* found.waitMs === undefined ? opened : Effect.timeoutOption(opened, found.waitMs)
          })
        )
        const loop = Effect.whileLoop({ while: () => !stopping, body: () => step, step: () => undefined })
        const places = Effect.all(
          Array.from({ length: concurrency }, () => loop),
          { concurrency: "unbounded", discard: true }
        )
        const stop = (worker: Fiber.Fiber<void>) =>
          Effect.gen(function* () {
            stopping = true
            work.openUnsafe()
            const ended = yield* Effect.timeoutOption(Fiber.await(worker), stopTimeoutMs)
            if (Option.isNone(ended)) yield* Fiber.interrupt(worker)
          })
        return Effect.asVoid(Effect.acquireRelease(Effect.forkDetach(places), stop))
      }
    })
  })

const layerWith = (options: InMemoryJobQueueOptions) =>
  Layer.effect(JobQueue, makeWith(options)).pipe(Layer.provide(InMemoryStorage.layer))

/** Jobs in the memory of one process, where they end with it: for tests, and for trying the product out. */
export const InMemoryJobQueue = { layer: layerWith({}), layerWith }
