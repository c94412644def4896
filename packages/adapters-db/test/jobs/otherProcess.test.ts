/** Jobs asked for in one process and done in another: nothing is waited for but the worker's look every second. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { enqueue, newJob } from "@parley/core/testing"
import { Effect, Layer, Queue, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { databaseLayer } from "../../src/databaseLayer.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"
import { hasPooler, migratedBehindPooler } from "../pooler.ts"

const ROUNDS = 6
const program = fileURLToPath(new URL("../fixtures/workBriefly.ts", import.meta.url))

/** A separate process that works on jobs; returns its output, line by line. */
const workerProcess = Effect.fnUntraced(function* (url: string) {
  const lines = yield* Queue.unbounded<string>()
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const argv = ["--conditions=@parley/source", program, url]
      const worker = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] })
      createInterface({ input: worker.stdout }).on("line", (line) => void Queue.offerUnsafe(lines, line))
      return worker
    }),
    (worker) => Effect.sync(() => void worker.kill("SIGKILL"))
  )
  return lines
})

const suite = (name: string, url: Effect.Effect<string, never, Scope.Scope>) =>
  it(`begin again soon, asked for at the moment their run is ending, ${name}`, () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const at = yield* url
          const rounds = Effect.gen(function* () {
            const job = newJob()
            yield* enqueue(job)
            const lines = yield* workerProcess(at)
            while ((yield* Effect.timeout(Queue.take(lines), "90 seconds")) !== "ends") continue
            for (let round = 1; round <= ROUNDS; round++) {
              yield* enqueue(job)
              // A sweep once a minute would not come in time.
              const next = yield* Effect.timeoutOption(Queue.take(lines), "50 seconds")
              expect(next, `no run began after the enqueue of round ${round}`).toMatchObject({ value: "begins" })
              yield* Queue.take(lines)
            }
          })
          yield* Effect.provide(
            Effect.scoped(rounds),
            PgBossJobQueueLayer().pipe(Layer.provide(databaseLayer({ url: at })))
          )
        })
      )
    ))

describe.runIf(hasPostgres)("jobs done by another process", { concurrent: true }, () => {
  suite("on Postgres", migratedPostgres)
  if (hasPooler) suite("behind a pooler", migratedBehindPooler)
})
