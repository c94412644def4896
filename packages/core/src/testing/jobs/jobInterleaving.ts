import { Effect } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { JobQueue } from "../../jobs/JobQueue.ts"
import type { Run } from "../suiteOn.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { handling, TestJob } from "./jobFixtures.ts"

/** Waits for this number of rounds of the event loop. */
const rounds = (number: number) =>
  Effect.forEach(Array.from({ length: number }), () => Effect.yieldNow, { discard: true })

/** The history of the jobs with one name, in order. */
type Happened = "asked" | "began" | "ended"

/** Checks that a run began after every time the job was enqueued, and that no two runs happened at the same time. */
const expectLaw = (name: string, happened: ReadonlyArray<Happened>) => {
  let running = 0
  for (const each of happened) {
    if (each === "began") running++
    if (each === "ended") running--
    expect(running, `${name}: ${happened.join(" ")}`).toBeLessThan(2)
  }
  const story = `${name}: ${happened.join(" ")}`
  expect(happened.lastIndexOf("began"), story).toBeGreaterThan(happened.lastIndexOf("asked"))
}

/**
 * Plays this number of random histories: jobs are enqueued at any moment of their twins' runs, which have random
 * lengths and failures.
 */
export const jobInterleaving = (run: Run<JobQueue>, histories: number) => {
  const ask = fc.record({ name: fc.constantFrom("a", "b"), pause: fc.integer({ min: 0, max: 12 }) })
  const fails = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
  const tries = fc.array(fc.record({ lasts: fc.integer({ min: 0, max: 40 }), fails }), { minLength: 1, maxLength: 5 })

  it("a run begins after every enqueue, wherever it meets the run of a twin, and twins never run together", () =>
    run(
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(ask, { minLength: 2, maxLength: 12 }), tries, (asks, script) =>
            run(
              Effect.gen(function* () {
                const jobs = yield* JobQueue
                const owner = newUserId()
                const stories = new Map<string, Array<Happened>>()
                const note = (name: string, happened: Happened) =>
                  Effect.sync(() => void stories.set(name, [...(stories.get(name) ?? []), happened]))
                let count = 0
                yield* jobs.work(
                  handling([TestJob], ({ name }, { last }) =>
                    Effect.gen(function* () {
                      const { fails, lasts } = script[count++ % script.length]!
                      yield* note(name, "began")
                      yield* rounds(lasts)
                      yield* note(name, "ended")
                      if (fails && !last) return yield* Effect.fail(new Error("not yet"))
                    })
                  )
                )
                for (const { name, pause } of asks) {
                  // Recorded before the call, because a run may begin before its answer arrives.
                  yield* note(name, "asked")
                  yield* jobs.enqueue(owner, TestJob, { name })
                  yield* rounds(pause)
                }
                const open = Effect.map(jobs.list(owner, { limit: 1000 }), (page) =>
                  page.jobs.some(({ state }) => state === "waiting" || state === "running")
                )
                while (yield* open) yield* Effect.sleep("5 millis")
                for (const [name, happened] of stories) expectLaw(name, happened)
              })
            )
          ),
          { numRuns: histories }
        )
      )
    ))
}
