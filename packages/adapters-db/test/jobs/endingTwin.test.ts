/** A job requested while a run of it is ending: whichever of the two comes first, a run begins after the request. */
import { JobQueue, twinOf, UnitOfWork } from "@parley/core/adapter"
import { enqueue, handling, newJob, type TestedJob, TestJob } from "@parley/core/testing"
import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const twin = ({ name, owner }: TestedJob): string => twinOf(owner, TestJob, { name })

const session = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** Locks the row of a job, so that writers wait; `release` lets them continue. */
const holdJob = Effect.fnUntraced(function* (url: string, job: TestedJob) {
  const client = yield* session(url)
  const { schemaName } = yield* DatabaseOwner
  yield* Effect.promise(() => client.query("BEGIN"))
  yield* Effect.promise(() =>
    client.query(`SELECT FROM "${schemaName}_boss".job WHERE singleton_key = $1 FOR UPDATE`, [twin(job)])
  )
  return { release: Effect.promise(() => client.query("COMMIT")) }
})

/** Waits until this number of statements of the database wait for a lock. */
const waiting = Effect.fnUntraced(function* (url: string, number: number) {
  const client = yield* session(url)
  const count = Effect.promise(async () => {
    const { rows } = await client.query<{ waiting: string }>(
      "SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return Number(rows[0]?.waiting)
  })
  while ((yield* count) < number) yield* Effect.sleep("20 millis")
})

const world = Effect.gen(function* () {
  const jobs = yield* JobQueue
  const started = yield* Queue.unbounded<TestedJob>()
  const ends = yield* Queue.unbounded<void>()
  yield* jobs.work(handling([TestJob], (job) => Effect.andThen(Queue.offer(started, job), Queue.take(ends))))
  return {
    /** Waits for the next run to begin. */
    begins: Effect.timeout(Queue.take(started), "90 seconds"),
    /** Lets one run end. */
    end: Queue.offer(ends, undefined)
  }
})

const testOn = (work: (url: string) => Effect.Effect<void, unknown, JobQueue | UnitOfWork | DatabaseOwner>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* migratedPostgres
        const queue = PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5, stopTimeoutMs: 100 })
        const database = PgDatabaseLayer({ url })
        const layer = Layer.merge(queue, PgUnitOfWorkLayer).pipe(Layer.provideMerge(database))
        yield* Effect.provide(work(url), layer)
      })
    )
  )

describe.runIf(hasPostgres)("a job asked for while a run of it is ending", () => {
  it("runs again where its run has ended and only the queue does not know yet", () =>
    testOn((url) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { begins, end } = yield* world
          const job = newJob()
          yield* enqueue(job)
          yield* begins
          const held = yield* holdJob(url, job)
          yield* end
          yield* waiting(url, 1)
          const asked = yield* Effect.forkChild(enqueue(job), { startImmediately: true })
          yield* Effect.race(Effect.exit(Fiber.join(asked)), waiting(url, 2))
          yield* held.release
          yield* Fiber.join(asked)
          expect(yield* begins).toEqual(job)
          yield* end
        })
      )
    ))

  it("runs again where it was asked for in a unit of work that commits after the run", () =>
    testOn(() =>
      Effect.scoped(
        Effect.gen(function* () {
          const { begins, end } = yield* world
          const unit = yield* UnitOfWork
          const job = newJob()
          const marker = newJob("bob")
          yield* enqueue(job)
          yield* begins
          const [asked, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const asking = yield* Effect.forkChild(
            unit.run(
              "alice",
              Effect.gen(function* () {
                yield* enqueue(job)
                yield* Deferred.succeed(asked, undefined)
                yield* Deferred.await(over)
              })
            )
          )
          yield* Deferred.await(asked)
          yield* end
          // Either the ending run waits for the unit, or it is over already and the worker takes the next job.
          yield* enqueue(marker)
          yield* begins
          yield* end
          yield* Deferred.succeed(over, undefined)
          yield* Fiber.join(asking)
          expect(yield* begins).toEqual(job)
          yield* end
        })
      )
    ))

  it("does not begin before the unit of work that asked for it has committed, though it waited already", () =>
    testOn(() =>
      Effect.scoped(
        Effect.gen(function* () {
          const jobs = yield* JobQueue
          const unit = yield* UnitOfWork
          const [job, marker] = [newJob(), newJob()]
          yield* enqueue(job)
          const [asked, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          let committed = false
          const asking = yield* Effect.forkChild(
            unit.run(
              "alice",
              Effect.gen(function* () {
                yield* enqueue(job)
                yield* Deferred.succeed(asked, undefined)
                yield* Deferred.await(over)
                committed = true
              })
            )
          )
          yield* Deferred.await(asked)
          const early: Array<string> = []
          const begun = yield* Queue.unbounded<string>()
          yield* jobs.work(
            handling([TestJob], ({ name }) => {
              if (!committed && name === job.name) early.push(name)
              return Queue.offer(begun, name)
            })
          )
          yield* enqueue(marker)
          while ((yield* Effect.timeout(Queue.take(begun), "90 seconds")) !== marker.name) continue
          yield* Deferred.succeed(over, undefined)
          yield* Fiber.join(asking)
          while ((yield* Effect.timeout(Queue.take(begun), "90 seconds")) !== job.name) continue
          expect(early).toEqual([])
        })
      )
    ))
})
