import { Effect, Queue, Schema } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { jobHandler, jobKind, type JobTry } from "../../jobs/JobKind.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"

const facts = {
  payload: Schema.Struct({ name: Schema.String }),
  tries: 3,
  retryDelayMs: { first: 0, longest: 0 },
  timeLimitMs: 60_000,
  twinKey: ({ name }: { readonly name: string }) => name
}

/** A kind of job for tests: at most three tries, without a wait between them. */
export const TestJob = jobKind("TestJob", facts)
/** A second kind, with another name. */
export const OtherJob = jobKind("OtherJob", facts)
/** The second kind as declared in a program with another payload: queued jobs cannot be decoded. */
export const ChangedJob = jobKind("OtherJob", {
  ...facts,
  payload: Schema.Struct({ title: Schema.String }),
  twinKey: ({ title }) => title
})
/** A kind with two tries, and a wait between them that is longer than any test. */
export const SlowlyRetriedJob = jobKind("SlowlyRetriedJob", {
  ...facts,
  tries: 2,
  retryDelayMs: { first: 3_600_000, longest: 3_600_000 }
})
/** A kind whose tries have a limit of 50 ms. */
export const BriefJob = jobKind("BriefJob", { ...facts, tries: 2, timeLimitMs: 50 })

/** A kind of job for which no person waits. */
export const LastJob = jobKind("LastJob", { ...facts, comesLast: true })

/** A job of a test. */
export interface TestedJob {
  readonly owner: UserId
  readonly name: string
}

type TestKind = typeof TestJob | typeof OtherJob | typeof LastJob

/** A new job. */
export const newJob = (owner: UserId = "ann"): TestedJob => ({ owner, name: crypto.randomUUID() })

/** Enqueues a job of a test. */
export const enqueue = ({ owner, name }: TestedJob, kind: TestKind = TestJob) =>
  JobQueue.use((jobs) => jobs.enqueue(owner, kind, { name }))

/** The work of a test's handler. */
export type TestHandler = (job: TestedJob, tried: JobTry<{ readonly name: string }>) => Effect.Effect<void, unknown>

/** Makes handlers for these kinds. */
export const handling = (kinds: ReadonlyArray<TestKind>, handle: TestHandler) =>
  kinds.map((kind) => jobHandler(kind, (tried) => handle({ owner: tried.owner, name: tried.payload.name }, tried)))

/** A try that has ended, in the form that tests compare. */
export interface EndedTry {
  readonly job: TestedJob
  readonly number: number
  readonly last: boolean
}

/** Starts a worker whose tries a test can await one by one. */
export const startWorker = (handle: TestHandler = () => Effect.void) =>
  Effect.gen(function* () {
    const jobs = yield* JobQueue
    const ended = yield* Queue.unbounded<EndedTry>()
    yield* jobs.work(
      handling([TestJob], (job, tried) =>
        Effect.ensuring(handle(job, tried), Queue.offer(ended, { job, number: tried.number, last: tried.last }))
      )
    )
    const nextTry = Effect.timeout(Queue.take(ended), "90 seconds")
    /** Returns all tries up to that of a job that is enqueued now, after the waiting ones. */
    const triesUntilNow = Effect.gen(function* () {
      const marker = newJob()
      yield* enqueue(marker)
      const seen: Array<string> = []
      for (;;) {
        const { job } = yield* nextTry
        if (job.name === marker.name) return seen
        seen.push(job.name)
      }
    })
    return { nextTry, triesUntilNow }
  })
