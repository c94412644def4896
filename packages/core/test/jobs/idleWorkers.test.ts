import { JobQueue } from "@parley/core/adapter"
import { enqueue, handling, newJob, OtherJob, TestJob } from "@parley/core/testing"
import { Effect, Queue } from "effect"
import fc from "fast-check"
import { describe, it } from "vitest"
import { InMemoryJobQueue } from "../../src/jobs/InMemoryJobQueue.ts"

/** Rounds of the event loop for concurrent work before a test checks. */
const rounds = (number: number) =>
  Effect.forEach(Array.from({ length: number }), () => Effect.yieldNow, { discard: true })

// The workers do not poll: one that misses its wake-up waits for ever.
describe("workers in memory that wait beside each other", () => {
  it("each get every job of theirs, enqueued at any moment", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ kind: fc.constantFrom(TestJob, OtherJob), pause: fc.nat(6) }), { maxLength: 12 }),
        (asked) =>
          Effect.gen(function* () {
            const jobs = yield* JobQueue
            const done = yield* Queue.unbounded<string>()
            for (const kind of [TestJob, OtherJob])
              yield* jobs.work(handling([kind], ({ name }) => Queue.offer(done, name)))
            const names = new Set<string>()
            for (const { kind, pause } of asked) {
              yield* rounds(pause)
              const job = newJob()
              names.add(job.name)
              yield* enqueue(job, kind)
            }
            while (names.size > 0) names.delete(yield* Queue.take(done))
          }).pipe(Effect.scoped, Effect.provide(InMemoryJobQueue.layer), Effect.runPromise)
      ),
      { numRuns: 100 }
    ))
})
