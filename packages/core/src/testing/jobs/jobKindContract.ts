import { Deferred, Effect, Queue } from "effect"
import { expect, it } from "vitest"
import { jobHandler } from "../../jobs/JobKind.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"
import type { Run } from "../suiteOn.ts"
import {
  BriefJob,
  ChangedJob,
  enqueue,
  handling,
  newJob,
  OtherJob,
  SlowlyRetriedJob,
  startWorker,
  TestJob
} from "./jobFixtures.ts"

/** Tests kinds of jobs of which a queue knows only the declaration. */
export const jobKinds = (run: Run<JobQueue>) => {
  it("a job of one kind is no twin of another kind's, nor one owner's of another's", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const { name } = newJob()
        yield* jobs.enqueue("ann", TestJob, { name })
        yield* jobs.enqueue("bob", TestJob, { name })
        yield* jobs.enqueue("ann", OtherJob, { name })
        const seen = yield* Queue.unbounded<string>()
        yield* jobs.work([
          ...handling([TestJob], ({ owner }) => Queue.offer(seen, `test ${owner}`)),
          ...handling([OtherJob], ({ owner }) => Queue.offer(seen, `other ${owner}`))
        ])
        const nextSeen = Effect.timeout(Queue.take(seen), "90 seconds")
        expect([yield* nextSeen, yield* nextSeen, yield* nextSeen].toSorted()).toEqual([
          "other ann",
          "test ann",
          "test bob"
        ])
      })
    ))

  it("a worker leaves kinds it does not know to one that does", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const other = newJob()
        yield* enqueue(other, OtherJob)
        const worker = yield* startWorker()
        expect(yield* worker.triesUntilNow).toEqual([])
        const done = yield* Queue.unbounded<string>()
        yield* jobs.work(handling([OtherJob], ({ name }) => Queue.offer(done, name)))
        expect(yield* Effect.timeout(Queue.take(done), "90 seconds")).toBe(other.name)
      })
    ))

  it("after a failure the next try waits as long as its kind says, and other jobs do not", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const { name } = newJob()
        const tried = yield* Queue.unbounded<number>()
        yield* jobs.work([
          jobHandler(SlowlyRetriedJob, ({ number }) =>
            Effect.andThen(Queue.offer(tried, number), Effect.fail(new Error("always")))
          )
        ])
        yield* jobs.enqueue("ann", SlowlyRetriedJob, { name })
        expect(yield* Effect.timeout(Queue.take(tried), "90 seconds")).toBe(1)
        const worker = yield* startWorker()
        expect(yield* worker.triesUntilNow).toEqual([])
        const waits = Effect.map(jobs.list("ann", { kind: SlowlyRetriedJob.tag, limit: 10 }), (page) =>
          page.jobs.find(({ state }) => state === "waiting")
        )
        let job = yield* waits
        while (job === undefined) job = yield* Effect.andThen(Effect.sleep("10 millis"), waits)
        expect(job).toMatchObject({ tries: 1, triesMax: 2 })
        expect(job.dueAt! - job.startedAt!).toBeGreaterThanOrEqual(SlowlyRetriedJob.retryDelayMs.first)
        expect(yield* Queue.size(tried)).toBe(0)
      })
    ))

  it("a try that takes longer than its kind allows is interrupted and has failed", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const { name } = newJob()
        const interrupted = yield* Queue.unbounded<number>()
        yield* jobs.work([
          jobHandler(BriefJob, ({ number }) => Effect.onInterrupt(Effect.never, () => Queue.offer(interrupted, number)))
        ])
        yield* jobs.enqueue("ann", BriefJob, { name })
        expect(yield* Effect.timeout(Queue.take(interrupted), "90 seconds")).toBe(1)
        expect(yield* Effect.timeout(Queue.take(interrupted), "90 seconds")).toBe(2)
      })
    ))

  it("a payload that does not decode, as after a change of the program, is a failed try and delays no other job", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const done = yield* Deferred.make<void>()
        const { name } = newJob()
        yield* jobs.work([
          jobHandler(ChangedJob, () => Effect.die(new Error("ran"))),
          ...handling([TestJob], () => Deferred.succeed(done, undefined))
        ])
        yield* enqueue({ owner: "ann", name }, OtherJob)
        yield* enqueue(newJob())
        yield* Effect.timeout(Deferred.await(done), "90 seconds")
        const failed = Effect.map(jobs.list("ann", { kind: OtherJob.tag, state: "failed", limit: 100 }), (page) =>
          page.jobs.some(({ payload }) => (payload as { name: string }).name === name)
        )
        while (!(yield* failed)) yield* Effect.sleep("10 millis")
      })
    ))
}
