import { Deferred, Effect, Exit, Fiber, type Layer, Queue, Scope } from "effect"
import { expect, it } from "vitest"
import { JobQueue } from "../../jobs/JobQueue.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { type Run, suiteOn } from "../suiteOn.ts"
import { enqueue, handling, LastJob, newJob, startWorker, type TestedJob, TestJob } from "./jobFixtures.ts"
import { jobInterleaving } from "./jobInterleaving.ts"
import { jobKinds } from "./jobKindContract.ts"
import { jobListing } from "./jobListingContract.ts"
import { jobRetrying } from "./jobRetryContract.ts"

type Ports = JobQueue | UnitOfWork

const TRIES = TestJob.tries

const enqueueing = (run: Run<Ports>) => {
  it("a job is done, and not again", () =>
    run(
      Effect.gen(function* () {
        const job = newJob()
        yield* enqueue(job)
        const worker = yield* startWorker()
        expect(yield* worker.nextTry).toEqual({ job, number: 1, last: false })
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))

  it("a job enqueued while a worker waits is picked up", () =>
    run(
      Effect.gen(function* () {
        const worker = yield* startWorker()
        for (let round = 0; round < 3; round++) {
          const job = newJob()
          yield* enqueue(job)
          expect((yield* worker.nextTry).job).toEqual(job)
        }
      })
    ))

  it("enqueueing a waiting job adds none; once done, it can be enqueued again", () =>
    run(
      Effect.gen(function* () {
        const job = newJob()
        yield* Effect.all([enqueue(job), enqueue(job), enqueue(job)], { concurrency: "unbounded" })
        const worker = yield* startWorker()
        expect(yield* worker.triesUntilNow).toEqual([job.name])
        yield* enqueue(job)
        expect(yield* worker.triesUntilNow).toEqual([job.name])
      })
    ))

  it("a job enqueued while it runs, however often, runs once more, after that run", () =>
    run(
      Effect.gen(function* () {
        const job = newJob()
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let running = 0
        let most = 0
        const worker = yield* startWorker(({ name }) => {
          if (name !== job.name) return Effect.void
          most = Math.max(most, ++running)
          return Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(finish)).pipe(
            Effect.ensuring(Effect.sync(() => running--))
          )
        })
        yield* enqueue(job)
        yield* Deferred.await(started)
        for (let time = 0; time < 3; time++) yield* enqueue(job)
        yield* Deferred.succeed(finish, undefined)
        expect(yield* worker.nextTry).toEqual({ job, number: 1, last: false })
        expect(yield* worker.nextTry).toEqual({ job, number: 1, last: false })
        expect(yield* worker.triesUntilNow).toEqual([])
        expect(most).toBe(1)
      })
    ))

  it("a job enqueued during its last try, which fails, has all its tries again", () =>
    run(
      Effect.gen(function* () {
        const job = newJob()
        const jobs = yield* JobQueue
        let failures = 0
        const worker = yield* startWorker(({ name }, { last }) => {
          if (name !== job.name || failures === TRIES) return Effect.void
          failures++
          const again = last ? jobs.enqueue(job.owner, TestJob, { name }) : Effect.void
          return Effect.andThen(again, Effect.fail(new Error("not yet")))
        })
        yield* enqueue(job)
        for (let number = 1; number <= TRIES; number++) yield* worker.nextTry
        expect(yield* worker.nextTry).toEqual({ job, number: 1, last: false })
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))

  it("an ensured job is enqueued if no twin waits or runs, and is no further run of a running one", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const [waiting, running, lost] = [newJob(), newJob(), newJob()]
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const worker = yield* startWorker(({ name }) =>
          name === running.name
            ? Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(finish))
            : Effect.void
        )
        yield* enqueue(running)
        yield* Deferred.await(started)
        const unit = yield* UnitOfWork
        // While a unit of work runs, no worker takes the jobs that it enqueued.
        const enqueued = yield* unit.run(
          "ann",
          Effect.andThen(
            enqueue(waiting),
            jobs.ensure(
              "ann",
              TestJob,
              [waiting, running, lost].map(({ name }) => ({ name }))
            )
          )
        )
        expect(enqueued).toBe(1)
        yield* Deferred.succeed(finish, undefined)
        const done = [
          (yield* worker.nextTry).job.name,
          (yield* worker.nextTry).job.name,
          (yield* worker.nextTry).job.name
        ]
        expect(done.toSorted()).toEqual([waiting.name, running.name, lost.name].toSorted())
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))
}

const turns = (run: Run<Ports>) => {
  it("an owner with many jobs does not keep others waiting for all of them", () =>
    run(
      Effect.gen(function* () {
        const many = Array.from({ length: 8 }, () => newJob("ann"))
        const one = newJob("bob")
        for (const job of [...many, one]) yield* enqueue(job)
        const worker = yield* startWorker()
        const order: Array<string> = []
        for (let number = 0; number < 9; number++) order.push((yield* worker.nextTry).job.name)
        expect(order.indexOf(one.name)).toBeLessThan(3)
        expect(order.toSorted()).toEqual([...many, one].map(({ name }) => name).toSorted())
      })
    ))

  it("jobs for which no person waits begin after all others that are due", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const patient = [newJob("ann"), newJob("bob")]
        for (const job of patient) yield* enqueue(job, LastJob)
        const others = [newJob("cem"), newJob("dan"), newJob("eve")]
        for (const job of others) yield* enqueue(job)
        const begun = yield* Queue.unbounded<TestedJob>()
        yield* jobs.work(handling([TestJob, LastJob], (job) => Queue.offer(begun, job)))
        const owners: Array<string> = []
        for (let number = 0; number < 5; number++) {
          owners.push((yield* Effect.timeout(Queue.take(begun), "90 seconds")).owner)
        }
        // Two jobs that begin at the same moment may be seen in either order.
        expect(owners.slice(0, 2).toSorted()).toEqual(["cem", "dan"])
        expect(owners.slice(2, 4)).toContain("eve")
      })
    ))

  it("jobs of one owner that do not end leave room for those of others", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const done = yield* Queue.unbounded<TestedJob>()
        yield* jobs.work(
          handling([TestJob], (job) =>
            Effect.gen(function* () {
              yield* Deferred.succeed(started, undefined)
              if (job.owner === "ann") yield* Deferred.await(finish)
              yield* Queue.offer(done, job)
            })
          )
        )
        const nextDone = Effect.timeout(Queue.take(done), "90 seconds")
        for (let number = 0; number < 4; number++) yield* enqueue(newJob("ann"))
        yield* Deferred.await(started)
        for (let number = 0; number < 3; number++) {
          const job = newJob("bob")
          yield* enqueue(job)
          expect(yield* nextDone).toEqual(job)
        }
        yield* Deferred.succeed(finish, undefined)
        for (let number = 0; number < 4; number++) expect((yield* nextDone).owner).toBe("ann")
      })
    ))
}

const units = (run: Run<Ports>) => {
  it("a job enqueued in a unit of work that fails does not exist", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const worker = yield* startWorker()
        yield* Effect.flip(unit.run("ann", Effect.andThen(enqueue(newJob()), Effect.fail("refused"))))
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))

  it("a job enqueued in a unit of work is worked on once that has committed, not before", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const job = newJob()
        let committed = false
        let early = false
        const worker = yield* startWorker(() => Effect.sync(() => (early ||= !committed)))
        yield* unit.run(
          "ann",
          Effect.gen(function* () {
            yield* enqueue(job)
            yield* Effect.yieldNow
            committed = true
          })
        )
        expect((yield* worker.nextTry).job).toEqual(job)
        expect(early).toBe(false)
      })
    ))
}

const failing = (run: Run<Ports>) => {
  it("a job that fails is tried again, the last try knowing that it is, and then given up", () =>
    run(
      Effect.gen(function* () {
        const job = newJob()
        const worker = yield* startWorker(({ name }) =>
          name === job.name ? Effect.fail(new Error("always")) : Effect.void
        )
        yield* enqueue(job)
        for (let number = 1; number <= TRIES; number++) {
          expect(yield* worker.nextTry).toEqual({ job, number, last: number === TRIES })
        }
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))

  it("a try that dies counts as failed, and a later one may succeed", () =>
    run(
      Effect.gen(function* () {
        const job = newJob()
        let count = 0
        const worker = yield* startWorker(({ name }) =>
          name === job.name && ++count === 1 ? Effect.die(new Error("a bug")) : Effect.void
        )
        yield* enqueue(job)
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
          .work(
            handling([TestJob], ({ name }) =>
              Effect.gen(function* () {
                if (name !== first.name) return yield* Effect.die(new Error("taken after the end"))
                yield* Deferred.succeed(started, undefined)
                yield* Deferred.await(finish)
                finished = true
              })
            )
          )
          .pipe(Scope.provide(scope))
        yield* enqueue(first)
        yield* Deferred.await(started)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* enqueue(second)
        yield* Deferred.succeed(finish, undefined)
        yield* Fiber.join(closing)
        expect(finished).toBe(true)
        const worker = yield* startWorker()
        expect((yield* worker.nextTry).job).toEqual(second)
        expect(yield* worker.triesUntilNow).toEqual([])
      })
    ))
}

/**
 * Tests the guarantees of a `JobQueue`. The workers of `layer` must wait for the end of a try when they stop.
 * `histories` is the number of random histories for the rule about twins. `layer` is built once, for all tests.
 */
export const jobQueueContract = (name: string, layer: Layer.Layer<Ports, unknown>, histories = 8): void =>
  suiteOn(`JobQueue: ${name}`, layer, (run) => {
    enqueueing(run)
    turns(run)
    units(run)
    failing(run)
    stopping(run)
    jobInterleaving(run, histories)
    jobKinds(run)
    jobListing(run)
    jobRetrying(run)
  })

/**
 * Tests the guarantees of a `JobQueue` for tries that run longer than their worker. When they stop, the workers of
 * `layer` must wait for less than a second. `layer` is built once, for all tests.
 */
export const hastyJobQueueContract = (name: string, layer: Layer.Layer<JobQueue, unknown>): void =>
  suiteOn(`JobQueue whose workers stop in haste: ${name}`, layer, (run) => {
    it("a try that does not end is cut short when its worker stops, counts, and is followed by the next one at once", () =>
      run(
        Effect.gen(function* () {
          const jobs = yield* JobQueue
          const job = newJob()
          const started = yield* Deferred.make<void>()
          const scope = yield* Scope.make()
          yield* jobs
            .work(handling([TestJob], () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never)))
            .pipe(Scope.provide(scope))
          yield* enqueue(job)
          yield* Deferred.await(started)
          yield* Scope.close(scope, Exit.void)
          const worker = yield* startWorker()
          expect(yield* worker.nextTry).toEqual({ job, number: 2, last: false })
        })
      ))
  })
