/** Jobs asked for again and again the moment their run is ending, on a machine that is busy with other things. */
import { spawn } from "node:child_process"
import { JobQueue } from "@parley/core/adapter"
import { enqueue, handling, newJob, TestJob } from "@parley/core/testing"
import { Effect, Layer, Queue, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { databaseLayer } from "../../src/databaseLayer.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"
import { behindPooler, hasPooler } from "../pooler.ts"

const ROUNDS = 500
const BUSY_PROCESSES = 4

const busyMachine = Effect.acquireRelease(
  Effect.sync(() =>
    Array.from({ length: BUSY_PROCESSES }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }))
  ),
  (processes) => Effect.sync(() => processes.forEach((each) => each.kill("SIGKILL")))
)

const rounds = Effect.gen(function* () {
  const jobs = yield* JobQueue
  const begun = yield* Queue.unbounded<string>()
  yield* busyMachine
  yield* jobs.work(handling([TestJob], ({ name }) => Queue.offer(begun, name)))
  const job = newJob()
  for (let round = 1; round <= ROUNDS; round++) {
    yield* enqueue(job)
    const next = yield* Effect.timeoutOption(Queue.take(begun), "90 seconds")
    expect(next._tag, `no run began after the enqueue of round ${round}`).toBe("Some")
  }
})

const suite = (name: string, url: Effect.Effect<string, never, Scope.Scope>) =>
  it(`every one of ${ROUNDS} is followed by a run, ${name}`, { timeout: 900_000 }, () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const database = databaseLayer({ url: yield* url })
          const migrated = Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(database))
          yield* Effect.provide(Effect.scoped(rounds), PgBossJobQueueLayer().pipe(Layer.provide(migrated)))
        })
      )
    )
  )

describe.runIf(hasPostgres)("jobs enqueued while their run is ending", () => {
  suite("on Postgres", freshPostgres)
  if (hasPooler) suite("behind a pooler", behindPooler)
})
