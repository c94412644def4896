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

/** A kind of job for tests: tried three times, without a wait between. */
export const TestJob = jobKind("TestJob", facts)
/** Another kind, with its own name. */
export const OtherJob = jobKind("OtherJob", facts)
/** The same kind in a program with another payload: queued jobs do not decode. */
export const ChangedJob = jobKind("OtherJob", {
  ...facts,
  payload: Schema.Struct({ title: Schema.String }),
  twinKey: ({ title }) => title
})
/** One that is tried twice, with a wait that outlasts any test. */
export const SlowlyRetriedJob = jobKind("SlowlyRetriedJob", {
  ...facts,
  tries: 2,
  retryDelayMs: { first: 3_600_000, longest: 3_600_000 }
})
/** A kind whose tries have a limit of 50 ms. */
export const BriefJob = jobKind("BriefJob", { ...facts, tries: 2, timeLimitMs: 50 })

/** A kind for which no person waits. */
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

/** A handler of these kinds. */
export const handling = (kinds: ReadonlyArray<TestKind>, handle: TestHandler) =>
  kinds.map((kind) => jobHandler(kind, (tried) => handle({ owner: tried.owner, name: tried.payload.name }, tried)))

/** A try that has ended, as a test compares it. */
export interface EndedTry {
  readonly job: TestedJob
  readonly number: number
  readonly last: boolean
}

/** Starts a worker whose tries can be awaited one by one. */
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
    /** All tries up to that of a job enqueued now, which comes after the waiting ones. */
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
