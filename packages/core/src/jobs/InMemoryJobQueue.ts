import { Cause, Clock, Context, Effect, Exit, Fiber, Latch, Layer, Option, Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import { readCursor } from "../storage/Cursor.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { JobNotFailed, JobNotFound } from "./errors.ts"
import { asked, type HeldJob, JobPosition, KEPT_MS, pageOfJobs, recordOf } from "./InMemoryJobs.ts"
import { type JobHandler, type JobKind, type JobProgress, retryDelayMs, twinOf } from "./JobKind.ts"
import { JobQueue } from "./JobQueue.ts"
import type { JobQuery } from "./JobRecord.ts"
import { JobPlaces } from "./JobPlaces.ts"
import { WorkerRegistry } from "./WorkerRegistry.ts"

export interface InMemoryJobQueueOptions {
  /** The number of concurrent jobs of a worker; default 2. */
  readonly concurrency?: number
  /** The milliseconds that a running try has to end after its worker was stopped; default 10,000. */
  readonly stopTimeoutMs?: number
}

type Next = { readonly claimed: HeldJob } | { readonly waitMs: number | undefined; readonly change: Latch.Latch }
type TryEnd = "done" | "failed" | "cut-short"

const endOf = (exit: Exit.Exit<unknown, unknown>): TryEnd => {
  if (Exit.isSuccess(exit)) return "done"
  return Cause.hasInterruptsOnly(exit.cause) ? "cut-short" : "failed"
}

/** The table of jobs, with the changes that methods make. Changes run only while no unit of work runs. */
const makeJobs = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const ids = yield* IdGenerator
  /** The jobs that wait or run, by their twin key. */
  const alive = yield* storage.table<string, HeldJob>()
  /** The jobs that have ended, by id; those that ended first come first. */
  const ended = yield* storage.table<string, HeldJob>()
  const progress = new Map<string, JobProgress>()
  /**
   * Opens with the next change after which a job may be due, and stays open; a new latch replaces it for later changes.
   */
  let change = Latch.makeUnsafe(false)
  let lastMicros = 0

  const newMicros = (now: number): number => (lastMicros = Math.max(lastMicros + 1, now * 1000))
  const everything = function* () {
    yield* alive.values()
    yield* ended.values()
  }

  const changed = () => {
    const before = change
    change = Latch.makeUnsafe(false)
    before.openUnsafe()
  }

  /**
   * Ensures that a run of the job begins after now: adds the job unless a twin waits; marks a running twin to run
   * again.
   */
  const ask = (job: HeldJob): HeldJob => {
    const twin = alive.get(job.twin)
    const standing = twin === undefined ? job : twin.state === "running" ? { ...twin, again: true } : twin
    alive.set(job.twin, standing)
    changed()
    return standing
  }

  const forget = (now: number): void => {
    for (const { endedAt = now, id, state } of ended.values()) {
      if (endedAt + KEPT_MS.done > now) return
      if (state === "done" || endedAt + KEPT_MS.failed <= now) ended.delete(id)
    }
  }

  return {
    alive,
    ended,
    progress,
    ids,
    change: () => change,
    changed,
    newMicros,
    forget,
    ask,
    removeAll: (owner: UserId): void => {
      for (const [twin, job] of alive) if (job.owner === owner) alive.delete(twin)
      for (const [id, job] of ended) if (job.owner === owner) ended.delete(id)
    },
    page: (mayBeSeen: (job: HeldJob) => boolean, query: JobQuery, after: typeof JobPosition.Type | undefined) =>
      pageOfJobs(everything(), mayBeSeen, query, after, (id) => progress.get(id))
  }
})

type Jobs = Effect.Success<typeof makeJobs>

const prepareIn = <Payload>(
  { ids, newMicros }: Jobs,
  owner: UserId,
  kind: JobKind<string, Payload>,
  payload: Payload
) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const job = {
      id: yield* ids.next,
      kind: kind.tag,
      owner,
      payload: yield* Effect.orDie(Schema.encodeEffect(kind.payload)(payload)),
      twin: twinOf(owner, kind, payload),
      triesMax: kind.tries,
      createdMicros: newMicros(now)
    }
    return asked(job, now)
  })

const findIn = (jobs: Jobs, owner: UserId, jobId: string): HeldJob | undefined => {
  const found = jobs.ended.get(jobId) ?? [...jobs.alive.values()].find(({ id }) => id === jobId)
  return found?.owner === owner ? found : undefined
}

const retryIn = (jobs: Jobs) =>
  Effect.fnUntraced(function* (owner: UserId, jobId: string) {
    const found = findIn(jobs, owner, jobId)
    if (found === undefined) return yield* new JobNotFound({ jobId })
    if (found.state !== "failed") return yield* new JobNotFailed({ jobId, state: found.state })
    jobs.ended.delete(jobId)
    const standing = jobs.ask(asked(found, yield* Clock.currentTimeMillis, true))
    return recordOf(standing, jobs.progress.get(standing.id))
  })

/**
 * Claims the next job for a worker. If none is due, returns the time until the next job is due, and a latch that opens
 * with the next change.
 */
const claimIn = (jobs: Jobs, taken: JobPlaces, kinds: ReadonlyMap<string, JobHandler>) =>
  Effect.map(Clock.currentTimeMillis, (now): Next => {
    const waiting = [...jobs.alive.values()].filter(({ kind, state }) => state === "waiting" && kinds.has(kind))
    const isLast = ({ kind }: HeldJob) => kinds.get(kind)?.kind.comesLast === true
    const nextOf = (jobs: ReadonlyArray<HeldJob>) => taken.next(jobs.map((job) => ({ job, userId: job.owner })))
    const allDue = waiting.filter(({ dueAt }) => dueAt <= now)
    const due = nextOf(allDue.filter((job) => !isLast(job))) ?? nextOf(allDue.filter(isLast))
    if (due !== undefined) {
      const claimed: HeldJob = { ...due.job, state: "running", tries: due.job.tries + 1, startedAt: now }
      jobs.alive.set(claimed.twin, claimed)
      taken.begin(claimed.owner)
      return { claimed }
    }
    const later = waiting.map(({ dueAt }) => dueAt - now).filter((waitMs) => waitMs > 0)
    return { waitMs: later.length === 0 ? undefined : Math.min(...later), change: jobs.change() }
  })

/**
 * Ends a try: the job is done, waits for its next try, or has failed. If the job was enqueued again meanwhile, it waits
 * again.
 */
const settleIn = ({ alive, changed, ended, forget, ids, newMicros, progress }: Jobs) =>
  Effect.fnUntraced(function* (claimed: HeldJob, kind: JobKind, end: TryEnd) {
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.next
    const { tries, triesMax, twin } = claimed
    const again = alive.get(twin)?.again === true
    progress.delete(claimed.id)
    if (alive.get(twin)?.id !== claimed.id) return
    changed()
    if (end !== "done" && tries < triesMax) {
      const dueAt = end === "cut-short" ? now : now + retryDelayMs(kind, tries)
      return void alive.set(twin, { ...claimed, state: "waiting", dueAt })
    }
    alive.delete(twin)
    ended.set(claimed.id, { ...claimed, state: end === "done" ? "done" : "failed", endedAt: now })
    if (again) alive.set(twin, asked({ ...claimed, id, createdMicros: newMicros(now) }, now))
    forget(now)
  })

/** Works on jobs until the scope closes, with at most `concurrency` tries at the same time. */
const startWorker = (
  storage: InMemoryStorage["Service"],
  jobs: Jobs,
  handlers: ReadonlyArray<JobHandler>,
  { concurrency = 2, stopTimeoutMs = 10_000 }: InMemoryJobQueueOptions
) => {
  const settle = settleIn(jobs)
  let stopping = false
  const kinds = new Map(handlers.map((handler) => [handler.kind.tag, handler]))
  const taken = new JobPlaces(concurrency)
  const tryJob = (claimed: HeldJob, handler: JobHandler) =>
    Effect.gen(function* () {
      const { id, owner, payload, retried, tries, triesMax } = claimed
      let running = true
      const report = (progress: JobProgress) => void (running && jobs.progress.set(id, progress))
      const facts = { id, owner, payload, retried, number: tries, last: tries >= triesMax, report }
      const exit = yield* Effect.exit(handler.run(facts))
      running = false
      taken.end(owner)
      yield* storage.exclusive(settle(claimed, handler.kind, endOf(exit)))
    })

  const step = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const found = yield* storage.exclusive(claimIn(jobs, taken, kinds))
      if ("claimed" in found) {
        const handler = kinds.get(found.claimed.kind)!
        return yield* tryJob(found.claimed, { ...handler, run: (facts) => restore(handler.run(facts)) })
      }
      // The worker was stopped during this look, so it does not look again.
      if (stopping) return
      const opened = restore(found.change.await)
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
      jobs.changed()
      const over = yield* Effect.timeoutOption(Fiber.await(worker), stopTimeoutMs)
      if (Option.isNone(over)) yield* Fiber.interrupt(worker)
    })
  return Effect.asVoid(Effect.acquireRelease(Effect.forkDetach(places), stop))
}

const DAY_MS = 86_400_000

/** Makes the registry of the workers. */
const makeRegistry = (storage: InMemoryStorage["Service"], { alive }: Jobs) => {
  const workers = new Map<string, { readonly seenAt: number; readonly left: boolean }>()
  const atNow = <A>(use: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, use))
  const dueAt = (now: number) =>
    [...alive.values()].flatMap(({ dueAt, state }) => (state === "waiting" && dueAt <= now ? [dueAt] : []))
  return WorkerRegistry.of({
    beat: (worker) =>
      atNow((now) => {
        for (const [id, { seenAt }] of workers) if (seenAt <= now - DAY_MS) workers.delete(id)
        workers.set(worker, { seenAt: now, left: false })
      }),
    leave: (worker) => atNow((now) => void workers.set(worker, { seenAt: now, left: true })),
    state: ({ aliveMs }) =>
      atNow((now) => {
        const seen = [...workers.values()]
        const due = dueAt(now)
        return {
          alive: seen.filter(({ left, seenAt }) => !left && seenAt > now - aliveMs).length,
          lastSeenMs: seen.length === 0 ? undefined : now - Math.max(...seen.map(({ seenAt }) => seenAt)),
          due: due.length,
          oldestDueMs: due.length === 0 ? undefined : now - Math.min(...due)
        }
      })
  })
}

const makeWith = (options: InMemoryJobQueueOptions) =>
  Effect.gen(function* () {
    const storage = yield* InMemoryStorage
    const jobs = yield* makeJobs

    const queue = JobQueue.of({
      enqueue: (owner, kind, payload) =>
        storage.exclusive(Effect.map(prepareIn(jobs, owner, kind, payload), (job) => void jobs.ask(job))),
      ensure: (owner, kind, payloads) =>
        storage.exclusive(
          Effect.gen(function* () {
            let enqueued = 0
            for (const payload of payloads) {
              if (jobs.alive.has(twinOf(owner, kind, payload))) continue
              jobs.ask(yield* prepareIn(jobs, owner, kind, payload))
              enqueued++
            }
            return enqueued
          })
        ),
      find: (owner, jobId) =>
        storage.exclusive(
          Effect.sync(() => {
            const found = findIn(jobs, owner, jobId)
            return found && recordOf(found, jobs.progress.get(jobId))
          })
        ),
      list: (owner, query) =>
        Effect.flatMap(readCursor(JobPosition, query.after), (after) =>
          storage.exclusive(
            Effect.sync(() => jobs.page((job) => owner === undefined || job.owner === owner, query, after))
          )
        ),
      retry: (owner, jobId) => storage.exclusive(retryIn(jobs)(owner, jobId)),
      removeAll: (owner) => storage.exclusive(Effect.sync(() => jobs.removeAll(owner))),
      work: (handlers) => startWorker(storage, jobs, handlers, options)
    })
    return Context.make(JobQueue, queue).pipe(Context.add(WorkerRegistry, makeRegistry(storage, jobs)))
  })

const layerWith = (options: InMemoryJobQueueOptions) =>
  Layer.effectContext(makeWith(options)).pipe(Layer.provide(InMemoryStorage.layer))

/** Jobs in the memory of one process, for tests and for trying Parley out; they are lost when the process ends. */
export const InMemoryJobQueue = { layer: layerWith({}), layerWith }
