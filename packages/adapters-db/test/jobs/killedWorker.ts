import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { JobQueue } from "@parley/core/adapter"
import { enqueue, handling, newJob, type TestedJob, TestJob } from "@parley/core/testing"
import { Clock, Effect, Layer, Queue } from "effect"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { migratedPostgres } from "../databases.ts"

const program = fileURLToPath(new URL("../fixtures/workForEver.ts", import.meta.url))

/** A server process of its own that begins jobs and never ends them. */
const otherServer = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=@parley/source", program, url], { stdio: ["ignore", "pipe", "inherit"] })
    ),
    (server) => Effect.sync(() => void server.kill("SIGKILL"))
  )

/** Waits until the other server has begun as many jobs. */
const begun = (server: ChildProcess, number: number) =>
  Effect.promise(async () => {
    let said = ""
    while (said.split("\n").length <= number) {
      const [chunk] = (await once(server.stdout!, "data")) as [Buffer]
      said += chunk.toString()
    }
  })

/**
 * Kills a server process that has begun jobs of two people; returns the seconds until each had begun again elsewhere.
 */
export const killOneOfTwo: Effect.Effect<ReadonlyArray<number>, unknown> = Effect.scoped(
  Effect.gen(function* () {
    const url = yield* migratedPostgres
    const database = PgDatabaseLayer({ url })
    const program = Effect.gen(function* () {
      const jobs = yield* JobQueue
      const expected = [newJob("ann"), newJob("bob")]
      for (const job of expected) yield* enqueue(job)
      const server = yield* otherServer(url)
      yield* begun(server, expected.length)
      const tried = yield* Queue.unbounded<TestedJob>()
      yield* jobs.work(handling([TestJob], (job) => Queue.offer(tried, job)))
      server.kill("SIGKILL")
      const killedAt = yield* Clock.currentTimeMillis
      const seconds: Array<number> = []
      const names = new Set<string>()
      while (names.size < expected.length) {
        names.add((yield* Effect.timeout(Queue.take(tried), "90 seconds")).name)
        seconds.push(((yield* Clock.currentTimeMillis) - killedAt) / 1000)
      }
      return seconds
    })
    return yield* Effect.provide(Effect.scoped(program), PgBossJobQueueLayer().pipe(Layer.provideMerge(database)))
  })
)
