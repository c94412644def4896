import { type Attempt, DocumentStore, type Job, JobQueue } from "@parley/core"
import { ampleQuota, newDocument, newUserId, type Run, suiteOn } from "@parley/core/testing"
import { Deferred, Effect, Exit, Layer, Queue, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/PgDatabase.ts"
import { PgDocumentStoreLayer } from "../../src/documents/PgDocumentStore.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { administer, databases, freshPostgres, hasPostgres } from "../databases.ts"

type Parts = Database | DatabaseOwner | DocumentStore | JobQueue

const newJob = (): Job => ({ _tag: "ProcessDocument", documentId: crypto.randomUUID(), userId: "ann" })
const options = { retryDelaySeconds: 0, pollingIntervalSeconds: 0.5, superviseIntervalSeconds: 1, stopTimeoutMs: 200 }

/** What the queue keeps of a job. */
const kept = ({ documentId }: Job) =>
  DatabaseOwner.use(({ execute, schemaName }) =>
    execute(
      `SELECT state::text AS state, retry_count, output::text AS output FROM "${schemaName}_boss".job WHERE singleton_key = $1`,
      [documentId]
    )
  )

const deadWorkers = (run: Run<Parts>) => {
  it("a try whose worker gives no sign of life counts as failed, and another worker tries again", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const { execute, schemaName } = yield* DatabaseOwner
        const job = newJob()
        yield* jobs.enqueue(job)
        // As a worker leaves it whose process ended in the middle.
        yield* execute(
          `UPDATE "${schemaName}_boss".job
           SET state = 'active', started_on = now(), heartbeat_on = now() - interval '5 seconds' WHERE singleton_key = $1`,
          [job.documentId]
        )
        const tried = yield* Queue.unbounded<Attempt>()
        yield* jobs.work((attempt) => Queue.offer(tried, attempt))
        expect(yield* Effect.timeout(Queue.take(tried), "30 seconds")).toEqual({ job, last: false })
        expect(yield* kept(job)).toMatchObject([{ retry_count: 1 }])
      })
    ))

  it("a worker that was taken for dead stops its try, and ends nobody else's", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const { execute, schemaName } = yield* DatabaseOwner
        const job = newJob()
        const [first, second, finish] = [
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>()
        ]
        const interrupted = yield* Deferred.make<void>()
        let tries = 0
        yield* jobs.work(() =>
          ++tries === 1
            ? Effect.andThen(Deferred.succeed(first, undefined), Effect.never).pipe(
                Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
              )
            : Effect.andThen(Deferred.succeed(second, undefined), Deferred.await(finish))
        )
        yield* jobs.enqueue(job)
        yield* Deferred.await(first)
        // As if another server had taken the job over: it waits for its second try.
        yield* execute(
          `UPDATE "${schemaName}_boss".job SET state = 'retry', heartbeat_on = NULL WHERE singleton_key = $1`,
          [job.documentId]
        )
        yield* Effect.timeout(Deferred.await(interrupted), "30 seconds")
        yield* Effect.timeout(Deferred.await(second), "30 seconds")
        expect(yield* kept(job)).toMatchObject([{ state: "active", retry_count: 1 }])
        yield* Deferred.succeed(finish, undefined)
        while ((yield* kept(job))[0]?.["state"] !== "completed") yield* Effect.sleep("20 millis")
        expect(tries).toBe(2)
      })
    ))

  it("a worker that must stop interrupts a try that does not end, and another one tries the job again", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        const started = yield* Deferred.make<void>()
        let interrupted = false
        const scope = yield* Scope.make()
        yield* jobs
          .work(() =>
            Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Effect.sync(() => (interrupted = true)))
            )
          )
          .pipe(Scope.provide(scope))
        yield* jobs.enqueue(job)
        yield* Deferred.await(started)
        yield* Scope.close(scope, Exit.void)
        expect(interrupted).toBe(true)
        const tried = yield* Queue.unbounded<Attempt>()
        yield* jobs.work((attempt) => Queue.offer(tried, attempt))
        expect(yield* Effect.timeout(Queue.take(tried), "30 seconds")).toEqual({ job, last: false })
      })
    ))

  it("a document left without a job is found and processed", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const documents = yield* DocumentStore
        const [waiting, ready] = [newDocument(newUserId()), newDocument(newUserId(), { status: "ready", progress: 1 })]
        for (const document of [ready, waiting]) yield* documents.insert(document, ampleQuota)
        const tried = yield* Queue.unbounded<Attempt>()
        yield* jobs.work((attempt) => Queue.offer(tried, attempt))
        const { job } = yield* Effect.timeout(Queue.take(tried), "30 seconds")
        expect(job.documentId).toBe(waiting.id)
        yield* documents.update(waiting.userId, waiting.id, ["processing"], { status: "ready", progress: 1 })
      })
    ))

  it("what a failed try says of a document is not kept by the queue", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        const tried = yield* Queue.unbounded<Attempt>()
        yield* jobs.work((attempt) =>
          Effect.andThen(Queue.offer(tried, attempt), Effect.fail(new Error("the text of the document")))
        )
        yield* jobs.enqueue(job)
        while (!(yield* Queue.take(tried)).last) continue
        const rows = yield* kept(job)
        expect(JSON.stringify(rows)).not.toContain("the text of the document")
        expect(rows).toHaveLength(1)
      })
    ))
}

const parts = Layer.merge(PgBossJobQueueLayer(options), PgDocumentStoreLayer)

for (const { name, layer } of databases) {
  suiteOn(`Jobs of workers that end, on ${name}`, parts.pipe(Layer.provideMerge(layer)), deadWorkers)
}

describe.runIf(hasPostgres)("while the database is away", () => {
  const unhandled: Array<unknown> = []
  const note = (error: unknown) => unhandled.push(error)
  beforeAll(() => {
    process.on("uncaughtException", note)
    process.on("unhandledRejection", note)
  })
  afterAll(() => {
    process.off("uncaughtException", note)
    process.off("unhandledRejection", note)
  })

  it("the queue reports its failures and nothing is thrown; once it is back, jobs go on", () => {
    const errors = Queue.unbounded<Error>()
    return Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const url = yield* freshPostgres
          const database = new URL(url).pathname.slice(1)
          const reported = yield* errors
          const queue = PgBossJobQueueLayer({ ...options, onError: (error) => void Queue.offerUnsafe(reported, error) })
          const layer = queue.pipe(Layer.provideMerge(PgDatabaseLayer({ url })))
          const tried = yield* Queue.unbounded<Attempt>()
          const program = Effect.gen(function* () {
            const jobs = yield* JobQueue
            yield* jobs.work((attempt) => Queue.offer(tried, attempt))
            yield* jobs.enqueue(newJob())
            yield* Queue.take(tried)
            yield* Effect.promise(() => administer(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`))
            yield* Effect.promise(() =>
              administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`)
            )
            yield* Queue.take(reported)
            expect(yield* Effect.flip(jobs.enqueue(newJob()))).toMatchObject({ _tag: "StorageFailed" })
            yield* Effect.promise(() => administer(`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`))
            const again = newJob()
            yield* Effect.retry(jobs.enqueue(again), { times: 10 })
            expect((yield* Effect.timeout(Queue.take(tried), "30 seconds")).job).toEqual(again)
          })
          yield* Effect.provide(Effect.scoped(program), layer)
          expect(unhandled).toEqual([])
        })
      )
    )
  })
})
