import { Deferred, Effect, Queue } from "effect"
import { expect, it } from "vitest"
import { JobQueue } from "../../jobs/JobQueue.ts"
import type { Run } from "../suiteOn.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { enqueue, handling, newJob, startWorker, type TestedJob, TestJob } from "./jobFixtures.ts"
import { listedJob } from "./jobListingContract.ts"

/** Makes a job whose last try failed; returns its record. */
const failedJob = (job: TestedJob) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* startWorker(({ name }) => (name === job.name ? Effect.fail(new Error("always")) : Effect.void))
      yield* enqueue(job)
      return yield* listedJob(job, ({ state }) => state === "failed")
    })
  )

/** Tests the retry of a failed job. */
export const jobRetrying = (run: Run<JobQueue>) => {
  it("a failed job that is retried has all its tries again, under its id, and the try knows of it", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob(newUserId())
        const failed = yield* failedJob(job)
        expect(failed).toMatchObject({ tries: 3, triesMax: 3 })
        const waiting = yield* jobs.retry(job.owner, failed.id)
        expect(waiting).toMatchObject({ id: failed.id, state: "waiting", tries: 0, triesMax: 3, endedAt: undefined })
        const tries = yield* Queue.unbounded<readonly [string, number, boolean]>()
        yield* jobs.work(
          handling([TestJob], (_, { id, number, retried }) =>
            Effect.andThen(
              Queue.offer(tries, [id, number, retried]),
              number === 3 ? Effect.void : Effect.fail(new Error("not yet"))
            )
          )
        )
        for (let number = 1; number <= 3; number++) expect(yield* Queue.take(tries)).toEqual([failed.id, number, true])
        expect(yield* listedJob(job, ({ state }) => state === "done")).toMatchObject({ id: failed.id, tries: 3 })
        yield* enqueue(job)
        expect((yield* Queue.take(tries)).slice(1)).toEqual([1, false])
      })
    ))

  it("another person's job, and one that has not failed, is not retried", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob(newUserId())
        const failed = yield* failedJob(job)
        const unknown = crypto.randomUUID()
        expect(yield* Effect.flip(jobs.retry(newUserId(), failed.id))).toMatchObject({ _tag: "JobNotFound" })
        expect(yield* Effect.flip(jobs.retry(job.owner, unknown))).toMatchObject({ _tag: "JobNotFound" })
        expect(yield* Effect.flip(jobs.retry(job.owner, "none"))).toMatchObject({ _tag: "JobNotFound" })
        expect(yield* listedJob(job, () => true)).toEqual(failed)
        yield* jobs.retry(job.owner, failed.id)
        const refused = Effect.flip(jobs.retry(job.owner, failed.id))
        expect(yield* refused).toMatchObject({ _tag: "JobNotFailed", state: "waiting" })
        const finish = yield* Deferred.make<void>()
        yield* jobs.work(handling([TestJob], () => Deferred.await(finish)))
        yield* listedJob(job, ({ state }) => state === "running")
        expect(yield* refused).toMatchObject({ _tag: "JobNotFailed", state: "running" })
        yield* Deferred.succeed(finish, undefined)
        yield* listedJob(job, ({ state }) => state === "done")
        expect(yield* refused).toMatchObject({ _tag: "JobNotFailed", state: "done" })
      })
    ))

  it("two concurrent retries of a job run it once, and one of them fails", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob(newUserId())
        const failed = yield* failedJob(job)
        const retry = Effect.exit(jobs.retry(job.owner, failed.id))
        const exits = yield* Effect.all([retry, retry], { concurrency: "unbounded" })
        expect(exits.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
        const worker = yield* startWorker()
        expect(yield* worker.triesUntilNow).toEqual([job.name])
      })
    ))

  it("retrying a failed job whose twin waits adds none and returns the twin; the twin stands for both", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob(newUserId())
        const failed = yield* failedJob(job)
        yield* enqueue(job)
        const twin = yield* listedJob(job, ({ state }) => state === "waiting")
        expect(yield* jobs.retry(job.owner, failed.id)).toMatchObject({ id: twin.id, state: "waiting" })
        expect((yield* jobs.list(job.owner, { limit: 10 })).jobs.map(({ id }) => id)).toEqual([twin.id])
        const worker = yield* startWorker()
        expect(yield* worker.triesUntilNow).toEqual([job.name])
      })
    ))

  it("retrying a failed job whose twin runs has that run once more afterwards", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob(newUserId())
        const failed = yield* failedJob(job)
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const worker = yield* startWorker(({ name }) =>
          name === job.name ? Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(finish)) : Effect.void
        )
        yield* enqueue(job)
        yield* Deferred.await(started)
        expect(yield* jobs.retry(job.owner, failed.id)).toMatchObject({ state: "running", tries: 1 })
        yield* Deferred.succeed(finish, undefined)
        expect((yield* worker.nextTry).job).toEqual(job)
        expect((yield* worker.nextTry).job).toEqual(job)
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))
}
