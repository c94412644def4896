import { Deferred, Effect, Exit, Fiber, type Layer, Queue, Scope } from "effect"
import { expect, it } from "vitest"
import { type Attempt, type Job, JobQueue } from "../../jobs/JobQueue.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

type Ports = JobQueue | UnitOfWork

/** Jobs of one person are begun in the order they were enqueued in. */
const newJob = (userId = "ann"): Job => ({
  _tag: "ProcessDocument",
  documentId: crypto.randomUUID(),
  userId
})

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

const enqueueing = (run: Run<Ports>, tries: number) => {
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

  it("a job enqueued while it runs, however often, runs once more, after that run", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let running = 0
        let most = 0
        const worker = yield* startWorker((attempt) => {
          if (attempt.job.documentId !== job.documentId) return Effect.void
          most = Math.max(most, ++running)
          return Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(finish)).pipe(
            Effect.ensuring(Effect.sync(() => running--))
          )
        })
        yield* jobs.enqueue(job)
        yield* Deferred.await(started)
        for (let time = 0; time < 3; time++) yield* jobs.enqueue(job)
        yield* Deferred.succeed(finish, undefined)
        expect(yield* worker.nextTry).toEqual({ job, last: false })
        expect(yield* worker.nextTry).toEqual({ job, last: false })
        expect(yield* worker.triesUntilNow).toEqual([])
        expect(most).toBe(1)
      })
    ))

  it("a job enqueued during its last try, which fails, has all its tries again", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob()
        let failures = 0
        const worker = yield* startWorker((attempt) => {
          if (attempt.job.documentId !== job.documentId || failures === tries) return Effect.void
          failures++
          return Effect.andThen(attempt.last ? jobs.enqueue(job) : Effect.void, Effect.fail(new Error("not yet")))
        })
        yield* jobs.enqueue(job)
        for (let number = 1; number <= tries; number++) yield* worker.nextTry
        expect(yield* worker.nextTry).toEqual({ job, last: false })
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))
}

const turns = (run: Run<Ports>) => {
  it("a person with many jobs does not keep others waiting for all of them", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const many = Array.from({ length: 8 }, () => newJob("ann"))
        const one = newJob("bob")
        for (const job of [...many, one]) yield* jobs.enqueue(job)
        const worker = yield* startWorker()
        const order: Array<string> = []
        for (let number = 0; number < 9; number++) order.push((yield* worker.nextTry).job.documentId)
        expect(order.indexOf(one.documentId)).toBeLessThan(3)
        expect(order.toSorted()).toEqual([...many, one].map(({ documentId }) => documentId).toSorted())
      })
    ))

  it("jobs of one person that do not end leave room for those of others", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const done = yield* Queue.unbounded<Job>()
        yield* jobs.work(({ job }) =>
          Effect.gen(function* () {
            yield* Deferred.succeed(started, undefined)
            if (job.userId === "ann") yield* Deferred.await(finish)
            yield* Queue.offer(done, job)
          })
        )
        const nextDone = Effect.timeout(Queue.take(done), "30 seconds")
        for (let number = 0; number < 4; number++) yield* jobs.enqueue(newJob("ann"))
        yield* Deferred.await(started)
        for (let number = 0; number < 3; number++) {
          const job = newJob("bob")
          yield* jobs.enqueue(job)
          expect(yield* nextDone).toEqual(job)
        }
        yield* Deferred.succeed(finish, undefined)
        for (let number = 0; number < 4; number++) expect((yield* nextDone).userId).toBe("ann")
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
        yield* Effect.flip(unit.run("ann", Effect.andThen(jobs.enqueue(newJob()), Effect.fail("refused"))))
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
          "alice",
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
        const [first, second] = [newJob(), newJob("bob")]
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
    enqueueing(run, tries)
    turns(run)
    units(run)
    failing(run, tries)
    stopping(run)
  })
