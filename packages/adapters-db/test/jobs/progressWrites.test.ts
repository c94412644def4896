import { JobQueue } from "@parley/core/adapter"
import { enqueue, handling, newJob, type Run, suiteOn, TestJob } from "@parley/core/testing"
import { Clock, Deferred, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { databases } from "../databases.ts"

/** Counts every write of a job's row from now on. */
const countWrites = Effect.gen(function* () {
  const { asOwner, execute, schemaName } = yield* DatabaseOwner
  yield* asOwner((sql) =>
    sql.script(`
      CREATE TABLE "${schemaName}_boss".writes (at timestamptz DEFAULT clock_timestamp());
      CREATE FUNCTION "${schemaName}_boss".count_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO "${schemaName}_boss".writes DEFAULT VALUES; RETURN NEW; END $$;
      CREATE TRIGGER count_write AFTER UPDATE ON "${schemaName}_boss".job
        FOR EACH ROW EXECUTE FUNCTION "${schemaName}_boss".count_write()`)
  )
  return Effect.map(execute(`SELECT count(*)::int AS writes FROM "${schemaName}_boss".writes`), ([row]) =>
    Number(row?.["writes"])
  )
})

const writing = (run: Run<Database | DatabaseOwner | JobQueue>) => {
  it("a try that reports ten thousand steps writes its row about once a second, with the latest of them", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        const finish = yield* Deferred.make<void>()
        let done = 0
        yield* enqueue(job)
        const writes = yield* countWrites
        const began = yield* Clock.currentTimeMillis
        yield* jobs.work(
          handling([TestJob], (_, { report }) =>
            Effect.gen(function* () {
              while (!(yield* Deferred.isDone(finish))) {
                for (let step = 0; step < 100; step++) report({ stage: "counting", done: ++done, of: 1_000_000_000 })
                yield* Effect.sleep("1 millis")
              }
            })
          )
        )
        const seen = new Set<number>()
        while (seen.size < 3 || done <= 10_000) {
          const [listed] = (yield* jobs.list(job.owner, { state: "running", limit: 1 })).jobs
          if (listed?.progress !== undefined) seen.add(listed.progress.done)
          yield* Effect.sleep("20 millis")
        }
        const written = yield* writes
        const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
        // One for the claim, one for a sign of life under way.
        expect(written).toBeLessThanOrEqual(seconds + 2)
        yield* Deferred.succeed(finish, undefined)
      })
    ))
}

const parts = PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5, stopTimeoutMs: 1000 })

// The databases at the same time: they mostly wait.
describe("Progress of jobs", { concurrent: true }, () => {
  for (const { name, layer } of databases) suiteOn(`on ${name}`, parts.pipe(Layer.provideMerge(layer)), writing)
})
