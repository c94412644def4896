import { JobQueue } from "@parley/core"
import { Effect, Layer, Schedule } from "effect"
import type { PgBoss } from "pg-boss"
import { Database } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { storing } from "../storage/storageFailed.ts"
import { enqueueJob } from "./enqueueJob.ts"
import { callBoss, type JobParts } from "./jobParts.ts"
import { jobSql } from "./jobSql.ts"
import { startWorker } from "./JobWorker.ts"
import { DEFAULT_EXPIRE_SECONDS, type JobQueueOptions, startBoss } from "./startBoss.ts"
import { strandedDocuments } from "./strandedDocuments.ts"
import { takeOverDeadTries } from "./takeOver.ts"

/** How often documents are looked for that nobody would process otherwise. */
const STRANDED_INTERVAL = "1 minute"

/** The queue library, started with its first use and stopped with the scope. */
const lazyBoss = Effect.fnUntraced(function* (options: JobQueueOptions) {
  const { driver } = yield* Database
  const owner = yield* DatabaseOwner
  let starting: Promise<PgBoss> | undefined
  const start = () =>
    (starting ??= startBoss(owner, driver, options).catch((error: unknown) => {
      starting = undefined
      throw error
    }))
  const stop = async () => (await starting?.catch(() => undefined))?.stop({ graceful: false })
  yield* Effect.addFinalizer(() => Effect.ignore(callBoss(stop)))
  const boss = callBoss(start)
  // The embedded database has one connection: started within a unit of work, the queue and the unit would wait for
  // each other. It is started by what needs it first, so that commands without jobs never load it.
  if (driver === "pglite") yield* owner.beforeUnits(boss)
  return boss
})

const make = (options: JobQueueOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const owner = yield* DatabaseOwner
    /** The running workers of this process, woken when it enqueues a job; others find it by looking every second. */
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
    const enqueue = enqueueJob(parts)
    const requeueStranded = Effect.flatMap(strandedDocuments(database, owner), (documents) =>
      Effect.forEach(documents, (document) => Effect.uninterruptible(enqueue(document)), { discard: true })
    )
    const workerOptions = {
      concurrency: options.concurrency ?? 2,
      pollingIntervalSeconds: options.pollingIntervalSeconds ?? 1,
      expireInSeconds: options.expireInSeconds ?? DEFAULT_EXPIRE_SECONDS,
      stopTimeoutMs: options.stopTimeoutMs ?? 10_000
    }

    return JobQueue.of({
      // Interrupted midway, the rest of it would reach the database outside the surrounding transaction.
      enqueue: (job) => storing("JobQueue.enqueue", "jobs")(Effect.uninterruptible(enqueue(job))),
      work: (handler) =>
        storing(
          "JobQueue.work",
          "jobs"
        )(
          Effect.gen(function* () {
            yield* parts.boss
            yield* Effect.forkScoped(Effect.repeat(Effect.ignore(requeueStranded), Schedule.spaced(STRANDED_INTERVAL)))
            yield* Effect.forkScoped(takeOverDeadTries(parts))
            yield* startWorker(parts, handler, wakes, workerOptions)
          })
        )
    })
  })

/** Document jobs on pg-boss, in a schema of its own beside the others, on Postgres and PGlite alike. */
export const PgBossJobQueueLayer = (options: JobQueueOptions = {}) => Layer.effect(JobQueue, make(options))
