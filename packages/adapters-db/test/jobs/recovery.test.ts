import { JobQueue, twinOf } from "@parley/core/adapter"
import {
  type EndedTry,
  enqueue,
  handling,
  newJob,
  type Run,
  suiteOn,
  type TestedJob,
  TestJob
} from "@parley/core/testing"
import { Deferred, Effect, Exit, Layer, Queue, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { administer } from "../administer.ts"
import { databases, migratedPostgres, hasPostgres } from "../databases.ts"

type Parts = Database | DatabaseOwner | JobQueue

const options = { pollingIntervalSeconds: 0.5, stopTimeoutMs: 200 }

const twin = ({ name, owner }: TestedJob): string => twinOf(owner, TestJob, { name })

/** A handler that notes its tries before it does `more`. */
const noting = (tried: Queue.Queue<EndedTry>, more: Effect.Effect<void, unknown> = Effect.void) =>
  handling([TestJob], (job, { last, number }) => Effect.andThen(Queue.offer(tried, { job, last, number }), more))

/** The queue's row of a job. */
const kept = (job: TestedJob) =>
  DatabaseOwner.use(({ execute, schemaName }) =>
    execute(
      `SELECT state::text AS state, retry_count, output::text AS output FROM "${schemaName}_boss".job WHERE singleton_key = $1`,
      [twin(job)]
    )
  )

const deadWorkers = (run: Run<Parts>) => {
  it(
    "a try whose worker gives no sign of life counts as failed, and another worker tries again",
    { concurrent: false },
    () =>
      run(
        Effect.gen(function* () {
          const jobs = yield* JobQueue
          const { execute, schemaName } = yield* DatabaseOwner
          const job = newJob()
          yield* enqueue(job)
          // As a worker leaves it whose process ended in the middle.
          yield* execute(
            `UPDATE "${schemaName}_boss".job
           SET state = 'active', started_on = now(), heartbeat_on = now() - interval '5 seconds' WHERE singleton_key = $1`,
            [twin(job)]
          )
          const tried = yield* Queue.unbounded<EndedTry>()
          yield* jobs.work(noting(tried))
          expect(yield* Effect.timeout(Queue.take(tried), "90 seconds")).toEqual({ job, number: 2, last: false })
          expect(yield* kept(job)).toMatchObject([{ retry_count: 1 }])
        })
      )
  )

  it(
    "a job asked for again during a last try whose worker died long ago, with all others away, has all its tries",
    { concurrent: false },
    () =>
      run(
        Effect.gen(function* () {
          const jobs = yield* JobQueue
          const { execute, schemaName } = yield* DatabaseOwner
          const job = newJob()
          yield* enqueue(job)
          // As the last process leaves it if it dies in the middle, and no other starts for hours.
          yield* execute(
            `UPDATE "${schemaName}_boss".job SET state = 'active', retry_count = retry_limit,
           started_on = now() - interval '2 days', heartbeat_on = now() - interval '2 days' WHERE singleton_key = $1`,
            [twin(job)]
          )
          yield* enqueue(job)
          const tried = yield* Queue.unbounded<EndedTry>()
          yield* jobs.work(noting(tried))
          expect(yield* Effect.timeout(Queue.take(tried), "90 seconds")).toEqual({ job, number: 1, last: false })
        })
      )
  )

  it("a worker that was taken for dead stops its try, and ends no other", { concurrent: false }, () =>
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
        yield* jobs.work(
          handling([TestJob], () =>
            ++tries === 1
              ? Effect.andThen(Deferred.succeed(first, undefined), Effect.never).pipe(
                  Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
                )
              : Effect.andThen(Deferred.succeed(second, undefined), Deferred.await(finish))
          )
        )
        yield* enqueue(job)
        yield* Deferred.await(first)
        // As if another server had taken the job over: it waits for its second try.
        yield* execute(
          `UPDATE "${schemaName}_boss".job SET state = 'retry', heartbeat_on = NULL WHERE singleton_key = $1`,
          [twin(job)]
        )
        yield* Effect.timeout(Deferred.await(interrupted), "90 seconds")
        yield* Effect.timeout(Deferred.await(second), "90 seconds")
        expect(yield* kept(job)).toMatchObject([{ state: "active", retry_count: 1 }])
        yield* Deferred.succeed(finish, undefined)
        while ((yield* kept(job))[0]?.["state"] !== "completed") yield* Effect.sleep("20 millis")
        expect(tries).toBe(2)
      })
    )
  )

  it(
    "a worker that must stop interrupts a try that does not end, and another one tries the job again",
    { concurrent: false },
    () =>
      run(
        Effect.gen(function* () {
          const jobs = yield* JobQueue
          const job = newJob()
          const started = yield* Deferred.make<void>()
          let interrupted = false
          const scope = yield* Scope.make()
          yield* jobs
            .work(
              handling([TestJob], () =>
                Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
                  Effect.onInterrupt(() => Effect.sync(() => (interrupted = true)))
                )
              )
            )
            .pipe(Scope.provide(scope))
          yield* enqueue(job)
          yield* Deferred.await(started)
          yield* Scope.close(scope, Exit.void)
          expect(interrupted).toBe(true)
          const tried = yield* Queue.unbounded<EndedTry>()
          yield* jobs.work(noting(tried))
          expect(yield* Effect.timeout(Queue.take(tried), "90 seconds")).toEqual({ job, number: 2, last: false })
        })
      )
  )

  it("what a failed try says of a document is not kept by the queue", { concurrent: false }, () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        const tried = yield* Queue.unbounded<EndedTry>()
        yield* jobs.work(noting(tried, Effect.fail(new Error("the text of the document"))))
        yield* enqueue(job)
        while (!(yield* Queue.take(tried)).last) continue
        const rows = yield* kept(job)
        expect(JSON.stringify(rows)).not.toContain("the text of the document")
        expect(rows).toHaveLength(1)
      })
    )
  )
}

const parts = PgBossJobQueueLayer(options)

// One test after the other on each database, and the databases at the same time: they mostly wait.
describe("jobs of workers that end", { concurrent: true }, () => {
  for (const { name, layer } of databases) {
    suiteOn(`on ${name}`, parts.pipe(Layer.provideMerge(layer)), deadWorkers)
  }
})

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
          const url = yield* migratedPostgres
          const database = new URL(url).pathname.slice(1)
          const reported = yield* errors
          const queue = PgBossJobQueueLayer({ ...options, onError: (error) => void Queue.offerUnsafe(reported, error) })
          const layer = queue.pipe(Layer.provideMerge(PgDatabaseLayer({ url })))
          const tried = yield* Queue.unbounded<EndedTry>()
          const program = Effect.gen(function* () {
            const jobs = yield* JobQueue
            yield* jobs.work(noting(tried))
            yield* enqueue(newJob())
            yield* Queue.take(tried)
            yield* Effect.promise(() => administer(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`))
            yield* Effect.promise(() =>
              administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`)
            )
            yield* Queue.take(reported)
            expect(yield* Effect.flip(enqueue(newJob()))).toMatchObject({ _tag: "StorageFailed" })
            yield* Effect.promise(() => administer(`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`))
            const again = newJob()
            yield* Effect.retry(enqueue(again), { times: 100 })
            expect((yield* Effect.timeout(Queue.take(tried), "90 seconds")).job).toEqual(again)
          })
          yield* Effect.provide(Effect.scoped(program), layer)
          expect(unhandled).toEqual([])
        })
      )
    )
  })
})
