import {
  cursorOf,
  isUuid,
  type JobHandler,
  JobNotFailed,
  JobNotFound,
  type JobPage,
  type JobQuery,
  JobQueue,
  type JobRecord,
  pageOf,
  readCursor,
  WorkerRegistry
} from "@parley/core/adapter"
import { Context, Effect, flow, Layer, Schema } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { storing } from "../storage/storageFailed.ts"
import { enqueueJob, jobToSend } from "./enqueueJob.ts"
import { forgetOldJobs, startWorker, takeOverDeadTries } from "./jobWorker.ts"
import { type Boss, callBoss, type JobParts, startBoss } from "./startBoss.ts"
import type { JobQueueOptions } from "./JobQueueOptions.ts"
import { makeWorkerRegistry } from "./workerRegistry.ts"
import { jobSql, type ListedJob, type StoredJob } from "./jobSql.ts"
import type { UserId } from "@parley/core"

/** Converts a stored job to the record that callers receive. */
export const recordOf = ({
  createdMicros,
  dueAt,
  endedAt,
  payload,
  progress,
  startedAt,
  ...job
}: ListedJob): JobRecord => ({
  ...job,
  payload: payload as Schema.Json,
  progress: progress ?? undefined,
  createdAt: Math.floor(createdMicros / 1000),
  dueAt: dueAt ?? undefined,
  startedAt: startedAt ?? undefined,
  endedAt: endedAt ?? undefined
})

/** Finds an owner's job by its id. */
export const findJob = ({ boss, owner: database, text }: JobParts) =>
  Effect.fnUntraced(function* (owner: UserId, jobId: string) {
    if (!isUuid(jobId)) return undefined
    yield* boss
    const [row] = yield* database.asOwner((sql) => sql.query<ListedJob & Row>(text.find, [owner, jobId]))
    return row && recordOf(row)
  })

/** The position of a job in a list: the time of its creation in microseconds since 1970, and its id. */
const JobPosition = Schema.Tuple([Schema.Int, Schema.String.check(Schema.makeFilter(isUuid))])

/** Returns a page of jobs, newest first: those of one owner, or of all people. */
export const listJobs = ({ boss, owner: database, text }: JobParts) =>
  Effect.fnUntraced(function* (owner: UserId | undefined, { after, kind, limit, state }: JobQuery) {
    const [micros = null, id = null] = (yield* readCursor(JobPosition, after)) ?? []
    yield* boss
    const facts = [limit + 1, micros, id, kind ?? null, ...(owner === undefined ? [] : [owner])]
    const rows = yield* database.asOwner((sql) =>
      sql.query<ListedJob & Row>(text.list(state, owner !== undefined), facts)
    )
    const page = pageOf(rows, limit, (last) => cursorOf(last.createdMicros, last.id))
    return { jobs: page.rows.map(recordOf), next: page.next } satisfies JobPage
  })

/** The queue library. It is started at its first use, and stopped when the scope closes. */
const lazyBoss = Effect.fnUntraced(function* (options: JobQueueOptions) {
  const { driver } = yield* Database
  const owner = yield* DatabaseOwner
  let starting: Promise<Boss> | undefined
  const start = () =>
    (starting ??= startBoss(owner, driver, options).catch((error: unknown) => {
      starting = undefined
      throw error
    }))
  const stop = async () => (await starting?.catch(() => undefined))?.stop({ graceful: false })
  yield* Effect.addFinalizer(() => Effect.ignore(callBoss(stop)))
  const boss = callBoss(start)
  // The embedded database has one connection, so a queue that is started inside a unit of work and the unit would wait
  // for each other. Therefore every unit of work starts the queue first. The queue is not started earlier, so that
  // commands without units of work and jobs never load it.
  if (driver === "pglite") yield* owner.beforeUnits(boss)
  return boss
})

/** Enqueues those of the jobs that have no waiting or running twin; returns the number of enqueued jobs. */
const ensureJobs = (parts: JobParts) => {
  const enqueue = enqueueJob(parts)
  return Effect.fnUntraced(function* (jobs: ReadonlyArray<Effect.Success<ReturnType<typeof jobToSend>>>) {
    if (jobs.length === 0) return 0
    yield* parts.boss
    const rows = yield* parts.owner.asOwner((sql) =>
      sql.query<{ twin: string }>(parts.text.findTwins, [jobs.map(({ twin }) => twin)])
    )
    const alive = new Set(rows.map(({ twin }) => twin))
    const lacking = jobs.filter(({ twin }) => !alive.has(twin))
    yield* Effect.forEach(lacking, enqueue, { discard: true })
    return lacking.length
  })
}

/** Runs jobs until the scope closes, ends the tries of dead workers, and deletes old jobs. */
const workOn = (parts: JobParts, wakes: Set<() => void>, options: JobQueueOptions) =>
  Effect.fnUntraced(function* (handlers: ReadonlyArray<JobHandler>) {
    yield* parts.boss
    yield* Effect.forkScoped(takeOverDeadTries(parts))
    yield* Effect.forkScoped(forgetOldJobs(parts))
    yield* startWorker(parts, handlers, wakes, {
      concurrency: options.concurrency ?? 2,
      pollingIntervalSeconds: options.pollingIntervalSeconds ?? 1,
      stopTimeoutMs: options.stopTimeoutMs ?? 10_000
    })
  })

const make = (options: JobQueueOptions) =>
  Effect.gen(function* () {
    const owner = yield* DatabaseOwner
    /**
     * The functions that wake the running workers of this process when it enqueues a job. Workers of other processes
     * find the job at their regular search.
     */
    const wakes = new Set<() => void>()
    const parts: JobParts = {
      owner,
      boss: yield* lazyBoss(options),
      text: jobSql(owner.schemaName),
      wake: () => {
        for (const wake of wakes) wake()
      },
      report: (error) => Effect.sync(() => options.onError?.(error))
    }
    const [enqueue, ensure, retry] = [enqueueJob(parts), ensureJobs(parts), retryJob(parts)]
    const [find, list] = [findJob(parts), listJobs(parts)]
    const work = workOn(parts, wakes, options)
    const removeAll = (owner: UserId) => parts.owner.asOwner((sql) => sql.query(parts.text.removeAll, [owner]))
    const stored = (method: keyof JobQueue["Service"]) => storing(`JobQueue.${method}`, "jobs")
    // Methods that write cannot be interrupted: after an interruption, their remaining statements would reach the
    // database outside the surrounding transaction.
    const written = (method: keyof JobQueue["Service"]) => flow(Effect.uninterruptible, stored(method))

    const queue = JobQueue.of({
      enqueue: (owner, kind, payload) =>
        Effect.flatMap(jobToSend(owner, kind, payload), enqueue).pipe(Effect.asVoid, written("enqueue")),
      ensure: (owner, kind, payloads) =>
        Effect.forEach(payloads, (payload) => jobToSend(owner, kind, payload)).pipe(
          Effect.flatMap(ensure),
          written("ensure")
        ),
      find: (owner, jobId) => stored("find")(find(owner, jobId)),
      list: (owner, query) => stored("list")(list(owner, query)),
      retry: (owner, jobId) => written("retry")(retry(owner, jobId)),
      removeAll: (owner) => written("removeAll")(Effect.andThen(parts.boss, Effect.asVoid(removeAll(owner)))),
      work: (handlers) => stored("work")(work(handlers))
    })
    return Context.make(JobQueue, queue).pipe(Context.add(WorkerRegistry, makeWorkerRegistry(parts)))
  })

/** The job queue and its workers, on Postgres and PGlite. Jobs are stored with pg-boss, in a schema of their own. */
export const PgBossJobQueueLayer = (options: JobQueueOptions = {}) => Layer.effectContext(make(options))

const STATE_OF: Readonly<Record<string, JobRecord["state"]>> = { active: "running", completed: "done" }

/**
 * Enqueues a failed job again under the same id, unless a waiting job does the same work. Returns the id of the job
 * that will run.
 */
export const retryJob = (parts: JobParts) => {
  const { boss, owner: database, text } = parts
  const enqueue = enqueueJob(parts)
  return Effect.fnUntraced(function* (owner: UserId, jobId: string) {
    if (!isUuid(jobId)) return yield* new JobNotFound({ jobId })
    yield* boss
    return yield* database.asOwner((sql) =>
      Effect.gen(function* () {
        const [job] = yield* sql.query<StoredJob & { state: string } & Row>(text.lockJob, [owner, jobId])
        if (job === undefined) return yield* new JobNotFound({ jobId })
        const { id, state } = job
        if (state !== "failed") return yield* new JobNotFailed({ jobId, state: STATE_OF[state] ?? "waiting" })
        yield* sql.query(text.remove, [id])
        const standing = yield* enqueue({ ...job, retried: true })
        const [listed] = yield* sql.query<ListedJob & Row>(text.find, [owner, standing])
        return listed === undefined ? yield* new JobNotFound({ jobId }) : recordOf(listed)
      })
    )
  })
}
