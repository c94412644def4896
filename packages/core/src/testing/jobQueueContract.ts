import { Deferred, Effect, Exit, Fiber, type Layer, Queue, Scope } from "effect"
import { expect, it } from "vitest"
import { type Attempt, type Job, JobQueue } from "../documents/JobQueue.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { type Run, suiteOn } from "./suiteOn.ts"

type Ports = JobQueue | UnitOfWork

const newJob = (): Job => ({ _tag: "ProcessDocument", documentId: crypto.randomUUID() })

/** Starts a worker whose tries can be awaited one by one. */
const startWorker = (handler: (attempt: Attempt) => Effect.Effect<void, unknown> = () => Effect.void) =>
  Effect.gen(function* () {
    const jobs = yield* JobQueue
    const tried = yield* Queue.unbounded<Attempt>()
    yield* jobs.work((attempt) => Effect.ensuring(handler(attempt), Queue.offer(tried, attempt)))
    const nextTry = Effect.timeout(Queue.take(tried), "30 seconds")
    /** All tries up to the one of a job enqueued now, which comes after whatever was waiting. */
    const triesUntilNow = Effect.gen(function* () {
      const marker = newJob()
      yield* jobs.enqueue(marker)
      const seen: Array<string> = []
      for (;;) {
        const { job } = yield* nextTry
        if (job.documentId === marker.documentId) return seen
        seen.push(job.documentId)
      }
    })
    return { nextTry, triesUntilNow }
  })

const enqueueing = (run: Run<Ports>) => {
  it("a job is done, and not again", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        yield* jobs.enqueue(job)
        const worker = yield* startWorker()
        expect(yield* worker.nextTry).toEqual({ job, last: false })
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))

  it("a job enqueued while a worker waits is picked up", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const worker = yield* startWorker()
        for (let round = 0; round < 3; round++) {
          const job = newJob()
          yield* jobs.enqueue(job)
          expect((yield* worker.nextTry).job).toEqual(job)
        }
      })
    ))

  it("enqueueing a job that waits adds none; once done, it can be enqueued anew", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        yield* Effect.all([jobs.enqueue(job), jobs.enqueue(job), jobs.enqueue(job)], { concurrency: "unbounded" })
        const worker = yield* startWorker()
        expect(yield* worker.triesUntilNow).toEqual([job.documentId])
        yield* jobs.enqueue(job)
        expect(yield* worker.triesUntilNow).toEqual([job.documentId])
      })
    ))

  it("enqueueing a job that runs adds none", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const worker = yield* startWorker((attempt) =>
          attempt.job.documentId === job.documentId
            ? Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(finish))
            : Effect.void
        )
        yield* jobs.enqueue(job)
        yield* Deferred.await(started)
        yield* jobs.enqueue(job)
        yield* Deferred.succeed(finish, undefined)
        expect((yield* worker.nextTry).job).toEqual(job)
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))
}

const units = (run: Run<Ports>) => {
  it("a job enqueued in a unit of work that fails does not exist", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const unit = yield* UnitOfWork
        const worker = yield* startWorker()
        yield* Effect.flip(unit.run(Effect.andThen(jobs.enqueue(newJob()), Effect.fail("refused"))))
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))

  it("a job enqueued in a unit of work is worked on once that has committed, not before", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const unit = yield* UnitOfWork
        const job = newJob()
        let committed = false
        let early = false
        const worker = yield* startWorker(() => Effect.sync(() => (early ||= !committed)))
        yield* unit.run(
          Effect.gen(function* () {
            yield* jobs.enqueue(job)
            yield* Effect.yieldNow
            committed = true
          })
        )
        expect((yield* worker.nextTry).job).toEqual(job)
        expect(early).toBe(false)
      })
    ))
}

const failing = (run: Run<Ports>, tries: number) => {
  it("a job that fails is tried again, the last try knowing that it is, and then given up", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        const worker = yield* startWorker((attempt) =>
          attempt.job.documentId === job.documentId ? Effect.fail(new Error("always")) : Effect.void
        )
        yield* jobs.enqueue(job)
        for (let number = 1; number <= tries; number++) {
          expect(yield* worker.nextTry).toEqual({ job, last: number === tries })
        }
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))

  it("a try that dies counts as failed, and a later one may succeed", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        let count = 0
        const worker = yield* startWorker(({ job: { documentId } }) =>
          documentId === job.documentId && ++count === 1 ? Effect.die(new Error("a bug")) : Effect.void
        )
        yield* jobs.enqueue(job)
        expect((yield* worker.nextTry).job).toEqual(job)
        expect((yield* worker.nextTry).job).toEqual(job)
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))
}

const stopping = (run: Run<Ports>) => {
  it("closing the scope lets the running try finish, and takes no further job", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const [first, second] = [newJob(), newJob()]
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let finished = false
        const scope = yield* Scope.make()
        yield* jobs
          .work(({ job }) =>
            Effect.gen(function* () {
              if (job.documentId !== first.documentId) return yield* Effect.die(new Error("taken after the end"))
              yield* Deferred.succeed(started, undefined)
              yield* Deferred.await(finish)
              finished = true
            })
          )
          .pipe(Scope.provide(scope))
        yield* jobs.enqueue(first)
        yield* Deferred.await(started)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* jobs.enqueue(second)
        yield* Deferred.succeed(finish, undefined)
        yield* Fiber.join(closing)
        expect(finished).toBe(true)
        const worker = yield* startWorker()
        expect((yield* worker.nextTry).job).toEqual(second)
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))
}

/** The guarantees of every `JobQueue`. `tries` is how often `layer`'s queue tries a job; its delays are to be short. */
export const jobQueueContract = (
  name: string,
  layer: Layer.Layer<Ports, unknown>,
  { tries }: { readonly tries: number }
): void =>
  suiteOn(`JobQueue: ${name}`, layer, (run) => {
    enqueueing(run)
    units(run)
    failing(run, tries)
    stopping(run)
  })
