import { type Attempt, JobQueue } from "@parley/core"
import { type Context, Effect, Layer, Schedule } from "effect"
import type { JobWithMetadata, PgBoss } from "pg-boss"
import { Database } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { toDatabaseError } from "../database/toDatabaseError.ts"
import { storing } from "../storage/storageFailed.ts"
import { strandedDocuments } from "./strandedDocuments.ts"
import { bossDatabase, DOCUMENTS_QUEUE, type JobQueueOptions, startBoss } from "./startBoss.ts"

type Handler = (attempt: Attempt) => Effect.Effect<void, unknown>

interface JobData {
  readonly documentId: string
}

/** How often documents are looked for that nobody would process otherwise. */
const STRANDED_INTERVAL = "1 minute"

/** The running workers of this process, woken when it enqueues a job; others find it by looking every second. */
type Wakes = Set<() => void>

const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: toDatabaseError })

const tryJob =
  (handler: Handler, context: Context.Context<never>, stop: AbortSignal) => async (job: JobWithMetadata<JobData>) => {
    const { documentId } = job.data
    const last = job.retryCount >= job.retryLimit
    const exit = await Effect.runPromiseExitWith(context)(
      handler({ job: { _tag: "ProcessDocument", documentId }, last }),
      {
        signal: AbortSignal.any([job.signal, stop])
      }
    )
    // What went wrong is the handler's to tell: the queue keeps this error, and it must hold nothing of a document.
    if (exit._tag === "Failure") throw new Error("The try failed.")
  }

const within = (work: Promise<unknown>, milliseconds: number): Promise<boolean> => {
  const timeout = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => timeout.resolve(false), milliseconds)
  const done = work.then(
    () => true,
    () => true
  )
  return Promise.race([done, timeout.promise]).finally(() => clearTimeout(timer))
}

/** Starts workers; gives what stops them: tries that run are finished first, within the bound, then interrupted. */
const startWorkers = async (
  boss: PgBoss,
  handle: (stop: AbortSignal) => (job: JobWithMetadata<JobData>) => Promise<void>,
  wakes: Wakes,
  { concurrency = 2, pollingIntervalSeconds = 1, stopTimeoutMs = 10_000 }: JobQueueOptions
): Promise<() => Promise<void>> => {
  const stopping = new AbortController()
  const tryOne = handle(stopping.signal)
  const ids: Array<string> = []
  const wake = () => {
    for (const id of ids) boss.notifyWorker(id)
  }
  const work = async ([job]: Array<JobWithMetadata<JobData>>) => {
    // There may be more: look again at once after this one instead of waiting.
    wake()
    if (job !== undefined) await tryOne(job)
  }
  for (let worker = 0; worker < concurrency; worker++) {
    ids.push(await boss.work(DOCUMENTS_QUEUE, { includeMetadata: true, pollingIntervalSeconds }, work))
  }
  wakes.add(wake)
  return async () => {
    wakes.delete(wake)
    const stopped = Promise.all(ids.map((id) => boss.offWork(DOCUMENTS_QUEUE, { id, wait: true })))
    if (await within(stopped, stopTimeoutMs)) return
    stopping.abort()
    await within(stopped, 1000)
  }
}

const make = (options: JobQueueOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const owner = yield* DatabaseOwner
    const wakes: Wakes = new Set()
    let starting: Promise<PgBoss> | undefined
    const start = () =>
      (starting ??= startBoss(owner, database.driver, options).catch((error: unknown) => {
        starting = undefined
        throw error
      }))
    const stop = async () => (await starting?.catch(() => undefined))?.stop({ graceful: false })
    const boss = attempt(start)
    yield* Effect.addFinalizer(() => Effect.ignore(attempt(stop)))
    // The embedded database has one connection: started within a unit of work, the queue and the unit would wait for
    // each other. It is started by what needs it first, so that commands without jobs never load it.
    if (database.driver === "pglite") yield* owner.beforeUnits(boss)

    const send = Effect.fnUntraced(function* (documentId: string) {
      const context = yield* Effect.context<never>()
      const queue = yield* boss
      const db = bossDatabase((text, params) =>
        Effect.provideContext(
          owner.asOwner((sql) => sql.query(text, params)),
          context
        )
      )
      yield* attempt(() => queue.send(DOCUMENTS_QUEUE, { documentId }, { singletonKey: documentId, db }))
      yield* owner.afterCommit(() => {
        for (const wake of wakes) wake()
      })
    })

    const requeueStranded = Effect.flatMap(strandedDocuments(database, owner), (ids) =>
      Effect.forEach(ids, (documentId) => Effect.uninterruptible(send(documentId)), { discard: true })
    )

    return JobQueue.of({
      // Interrupted midway, the rest of it would reach the database outside the surrounding transaction.
      enqueue: ({ documentId }) => storing("JobQueue.enqueue")(Effect.uninterruptible(send(documentId))),
      work: (handler) =>
        storing("JobQueue.work")(
          Effect.gen(function* () {
            const context = yield* Effect.context<never>()
            const queue = yield* boss
            const handle = (signal: AbortSignal) => tryJob(handler, context, signal)
            yield* Effect.forkScoped(Effect.repeat(Effect.ignore(requeueStranded), Schedule.spaced(STRANDED_INTERVAL)))
            yield* Effect.acquireRelease(
              attempt(() => startWorkers(queue, handle, wakes, options)),
              (stopWorkers) => Effect.promise(stopWorkers)
            )
          })
        )
    })
  })

/** Document jobs on pg-boss, in a schema of its own beside the others, on Postgres and PGlite alike. */
export const PgBossJobQueueLayer = (options: JobQueueOptions = {}) => Layer.effect(JobQueue, make(options))
