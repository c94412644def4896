import { Deferred, Effect } from "effect"
import { expect, it } from "vitest"
import type { Cursor } from "../../storage/Cursor.ts"
import { jobHandler } from "../../jobs/JobKind.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"
import type { JobQuery, JobRecord } from "../../jobs/JobRecord.ts"
import type { Run } from "../suiteOn.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { enqueue, handling, newJob, OtherJob, type TestedJob, TestJob } from "./jobFixtures.ts"

const nameOf = ({ payload }: JobRecord): string => (payload as { readonly name: string }).name

/** Waits until a job is listed for which `holds` is true. */
export const listedJob = ({ owner, name }: TestedJob, holds: (job: JobRecord) => boolean) =>
  Effect.gen(function* () {
    const jobs = yield* JobQueue
    for (;;) {
      const page = yield* jobs.list(owner, { limit: 100 })
      const found = page.jobs.find((job) => nameOf(job) === name && holds(job))
      if (found !== undefined) return found
      yield* Effect.sleep("10 millis")
    }
  }).pipe(Effect.timeout("90 seconds"))

/** Reads all pages of a list, as the names of their jobs; `between` runs after each page. */
const pagesOf = (owner: string, query: JobQuery, between: Effect.Effect<unknown, unknown, JobQueue> = Effect.void) =>
  Effect.gen(function* () {
    const jobs = yield* JobQueue
    const pages: Array<ReadonlyArray<string>> = []
    let after: Cursor | undefined
    do {
      const page = yield* jobs.list(owner, { ...query, after })
      pages.push(page.jobs.map(nameOf))
      after = page.next
      yield* between
    } while (after !== undefined)
    return pages
  })

/** Tests the lists of a queue. */
export const jobListing = (run: Run<JobQueue>) => {
  it("a job is listed as waiting, running and done, with its owner, payload, tries and times", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob(newUserId())
        const finish = yield* Deferred.make<void>()
        yield* enqueue(job)
        const waiting = yield* listedJob(job, ({ state }) => state === "waiting")
        expect(waiting).toMatchObject({
          kind: "TestJob",
          owner: job.owner,
          payload: { name: job.name },
          tries: 0,
          triesMax: 3,
          progress: undefined,
          startedAt: undefined,
          endedAt: undefined
        })
        expect(waiting.dueAt!).toBeLessThanOrEqual(waiting.createdAt + 1000)
        yield* jobs.work(handling([TestJob], () => Deferred.await(finish)))
        const running = yield* listedJob(job, ({ state }) => state === "running")
        expect(running).toMatchObject({ id: waiting.id, tries: 1, dueAt: undefined, endedAt: undefined })
        yield* Deferred.succeed(finish, undefined)
        const done = yield* listedJob(job, ({ state }) => state === "done")
        expect(done).toMatchObject({ id: waiting.id, createdAt: waiting.createdAt, tries: 1, dueAt: undefined })
        expect(yield* jobs.find(job.owner, done.id)).toEqual(done)
        expect(yield* jobs.find(newUserId(), done.id)).toBe(undefined)
        expect(yield* jobs.find(job.owner, crypto.randomUUID())).toBe(undefined)
        expect(yield* jobs.find(job.owner, "none")).toBe(undefined)
        expect(done.startedAt!).toBeGreaterThanOrEqual(done.createdAt)
        expect(done.endedAt!).toBeGreaterThanOrEqual(done.startedAt!)
      })
    ))

  it("a list contains one owner's jobs, of the requested state and kind; those of all owners are for operators", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const owner = newUserId()
        const [waiting, failed, other] = [newJob(owner), newJob(owner), newJob(owner)]
        const foreign = newJob(newUserId())
        yield* enqueue(failed)
        yield* jobs.work([
          jobHandler(TestJob, ({ payload }) => (payload.name === failed.name ? Effect.fail("no") : Effect.never))
        ])
        yield* listedJob(failed, ({ state }) => state === "failed")
        yield* enqueue(other, OtherJob)
        yield* enqueue(foreign, OtherJob)
        yield* enqueue(waiting, OtherJob)
        const names = (query: Omit<JobQuery, "limit">) =>
          Effect.map(pagesOf(owner, { ...query, limit: 100 }), (pages) => pages.flat())
        expect(yield* names({})).toEqual([waiting.name, other.name, failed.name])
        expect(yield* names({ state: "failed" })).toEqual([failed.name])
        expect(yield* names({ kind: "OtherJob" })).toEqual([waiting.name, other.name])
        expect(yield* names({ kind: "OtherJob", state: "failed" })).toEqual([])
        expect(yield* names({ kind: "Nothing" })).toEqual([])
        const everybody = yield* jobs.list(undefined, { kind: "OtherJob", state: "waiting", limit: 3 })
        expect(everybody.jobs.map(nameOf)).toEqual([waiting.name, foreign.name, other.name])
        yield* jobs.work(handling([OtherJob], () => Effect.void))
        yield* listedJob(waiting, ({ state }) => state === "done")
      })
    ))

  it("pages hold every job once, newest first, although others are enqueued in between", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const owner = newUserId()
        const all = Array.from({ length: 7 }, () => newJob(owner))
        for (const job of all) yield* enqueue(job, OtherJob)
        const newest = all.map(({ name }) => name).toReversed()
        const later = Effect.suspend(() => enqueue(newJob(owner), OtherJob))
        expect(yield* pagesOf(owner, { limit: 3 }, later)).toEqual([
          newest.slice(0, 3),
          newest.slice(3, 6),
          newest.slice(6)
        ])
        yield* jobs.work(handling([OtherJob], () => Effect.void))
        yield* listedJob(all.at(-1)!, ({ state }) => state === "done")
      })
    ))

  it("the reported progress of a try can be read while it runs, by its owner, and not afterwards", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const job = newJob(newUserId())
        const step = yield* Deferred.make<void>()
        const finish = yield* Deferred.make<void>()
        yield* jobs.work(
          handling([TestJob], (_, { report }) =>
            Effect.gen(function* () {
              for (let done = 0; done <= 1000; done++) report({ stage: "parsing", done, of: 1000 })
              yield* Deferred.await(step)
              report({ stage: "embedding", done: 3, of: 10 })
              yield* Deferred.await(finish)
            })
          )
        )
        yield* enqueue(job)
        const parsing = yield* listedJob(job, ({ progress }) => progress !== undefined)
        expect(parsing).toMatchObject({ state: "running", progress: { stage: "parsing", done: 1000, of: 1000 } })
        yield* Deferred.succeed(step, undefined)
        const embedding = yield* listedJob(job, ({ progress }) => progress?.stage === "embedding")
        expect(embedding.progress).toEqual({ stage: "embedding", done: 3, of: 10 })
        expect((yield* jobs.list(newUserId(), { limit: 10 })).jobs).toEqual([])
        yield* Deferred.succeed(finish, undefined)
        expect((yield* listedJob(job, ({ state }) => state === "done")).progress).toBe(undefined)
      })
    ))
}
