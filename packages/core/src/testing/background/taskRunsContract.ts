import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { TaskRuns } from "../../background/TaskRuns.ts"
import { suiteOn } from "../suiteOn.ts"

const HOUR = 3_600_000
const task = "verify" as const
const daily = { task, everyMs: 24 * HOUR, retryMs: HOUR }

/** Tests the guarantees of a `TaskRuns`, on a storage without runs. `layer` is built once, for all tests. */
export const taskRunsContract = (name: string, layer: Layer.Layer<TaskRuns, unknown>): void =>
  suiteOn(`TaskRuns: ${name}`, layer, (run) => {
    it("of many processes that ask at once, one begins a run, and none within the interval after it", () =>
      run(
        Effect.gen(function* () {
          const runs = yield* TaskRuns
          expect(yield* runs.ended).toEqual([])
          const asked = yield* Effect.all(
            Array.from({ length: 20 }, () => runs.begin(daily)),
            { concurrency: "unbounded" }
          )
          expect(asked.filter(Boolean)).toHaveLength(1)
          expect(yield* runs.begin(daily)).toBe(false)
          expect(yield* runs.begin({ ...daily, task: "reset" })).toBe(true)
        })
      ))

    it("a run is due again after the interval, and sooner if the last one did not end well", () =>
      run(
        Effect.gen(function* () {
          const runs = yield* TaskRuns
          const atOnce = { ...daily, retryMs: 0 }
          expect(yield* runs.begin({ ...daily, everyMs: 0 })).toBe(true)
          expect(yield* runs.begin(daily)).toBe(false)
          expect(yield* runs.begin(atOnce)).toBe(true)
          yield* runs.end(task, 0)
          expect(yield* runs.begin(atOnce)).toBe(false)
          expect(yield* runs.begin({ ...atOnce, everyMs: 0 })).toBe(true)
        })
      ))

    it("a sign of life counts from its time, as if the run had begun then", () =>
      run(
        Effect.gen(function* () {
          const runs = yield* TaskRuns
          expect(yield* runs.begin({ ...daily, everyMs: 0 })).toBe(true)
          yield* runs.end(task, 0)
          expect(yield* runs.begin({ ...daily, retryMs: 0 })).toBe(false)
          yield* runs.renew(task)
          expect(yield* runs.begin({ ...daily, everyMs: HOUR })).toBe(false)
          expect(yield* runs.begin({ ...daily, retryMs: 0 })).toBe(true)
        })
      ))

    it("the last run that ended well is known, with what it found", () =>
      run(
        Effect.gen(function* () {
          const runs = yield* TaskRuns
          yield* runs.end("reset", 0)
          yield* runs.end("verify", 3)
          yield* runs.end("verify", 2)
          const ended = yield* runs.ended
          expect(new Map(ended.map(({ findings, task }) => [task, findings]))).toEqual(
            new Map([
              ["reset", 0],
              ["verify", 2]
            ])
          )
          expect(ended.every(({ endedAt }) => Number.isSafeInteger(endedAt) && endedAt > 0)).toBe(true)
        })
      ))
  })
