/** Live workers that cannot write signs of life, because another session has locked the rows of their jobs. */
import { JobQueue, twinOf } from "@parley/core/adapter"
import { enqueue, handling, newJob, type TestedJob, TestJob } from "@parley/core/testing"
import { Deferred, Effect, Layer, Queue } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const JOBS = 12

const twin = ({ name, owner }: TestedJob): string => twinOf(owner, TestJob, { name })

/** Holds the row of a job until `release`. */
const hold = Effect.fnUntraced(function* (url: string, job: TestedJob) {
  const { schemaName } = yield* DatabaseOwner
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const session = new pg.Client({ connectionString: url })
      await session.connect()
      return session
    }),
    (session) => Effect.promise(() => session.end())
  )
  yield* Effect.promise(async () => {
    await client.query("BEGIN")
    await client.query(`SELECT FROM "${schemaName}_boss".job WHERE singleton_key = $1 FOR UPDATE`, [twin(job)])
  })
  return { release: Effect.promise(() => client.query("COMMIT")) }
})

/** Locks the row of a running job until its worker has been silent for this long, and waits for the outcome. */
const silence = Effect.fnUntraced(function* (url: string, job: TestedJob, seconds: number) {
  const { execute, schemaName } = yield* DatabaseOwner
  const kept = Effect.map(
    execute(
      `SELECT state::text AS state, retry_count, extract(epoch FROM clock_timestamp() - heartbeat_on)::float8 AS silent
       FROM "${schemaName}_boss".job WHERE singleton_key = $1`,
      [twin(job)]
    ),
    ([row]) => row as { readonly state: string; readonly retry_count: number; readonly silent: number }
  )
  const held = yield* hold(url, job)
  while ((yield* kept).silent < seconds) yield* Effect.sleep("50 millis")
  yield* held.release
  let row = yield* kept
  for (; row.silent > seconds && row.state === "active"; row = yield* kept) yield* Effect.sleep("20 millis")
  return row
})

describe.runIf(hasPostgres)("a job whose row is locked for so long that no sign of life can be written", () => {
  it("is not taken from its worker, whenever it is let go", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const url = yield* migratedPostgres
          const queue = PgBossJobQueueLayer({ concurrency: JOBS, pollingIntervalSeconds: 0.5, stopTimeoutMs: 100 })
          const jobs = Array.from({ length: JOBS }, (_, number) => newJob(`owner ${number}`))
          const test = Effect.gen(function* () {
            const begun = yield* Queue.unbounded<TestedJob>()
            const finish = yield* Deferred.make<void>()
            yield* (yield* JobQueue).work(
              handling([TestJob], (job) => Effect.andThen(Queue.offer(begun, job), Deferred.await(finish)))
            )
            for (const job of jobs) yield* enqueue(job)
            yield* Effect.forEach(jobs, () => Queue.take(begun))
            // Let go at all moments between two looks, of which the third in a row is the one that counts.
            const rows = yield* Effect.forEach(jobs, (job, number) => silence(url, job, 8 + (3 * number) / JOBS), {
              concurrency: "unbounded"
            })
            expect(rows).toMatchObject(jobs.map(() => ({ state: "active", retry_count: 0 })))
            yield* Deferred.succeed(finish, undefined)
          })
          const database = PgDatabaseLayer({ url, maxConnections: JOBS + 10 })
          yield* Effect.provide(Effect.scoped(test), queue.pipe(Layer.provideMerge(database)))
        })
      )
    ))
})
