import { Deferred, Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { JobQueue } from "../../jobs/JobQueue.ts"
import { JobWorker } from "../../jobs/JobWorker.ts"
import { WorkerRegistry, type WorkState } from "../../jobs/WorkerRegistry.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"
import { enqueue, handling, newJob, TestJob } from "./jobFixtures.ts"

const stateWithin = (aliveMs: number) => WorkerRegistry.use((registry) => registry.state({ aliveMs }))

/** Waits until the registry has a state for which `holds` is true. */
const stateThat = (holds: (state: WorkState) => boolean) =>
  Effect.gen(function* () {
    for (;;) {
      const state = yield* stateWithin(60_000)
      if (holds(state)) return state
      yield* Effect.sleep("10 millis")
    }
  }).pipe(Effect.timeout("90 seconds"))

/**
 * Tests the guarantees of a `WorkerRegistry`, on a storage without workers and jobs, with the queue of the same
 * storage. `layer` is built once, for all tests.
 */
export const workerRegistryContract = (name: string, layer: Layer.Layer<JobQueue | WorkerRegistry, unknown>): void =>
  suiteOn(`WorkerRegistry: ${name}`, layer, (run) => {
    it("knows no worker and no job at first", () =>
      run(
        Effect.gen(function* () {
          const none = { alive: 0, lastSeenMs: undefined, due: 0, oldestDueMs: undefined }
          expect(yield* stateWithin(60_000)).toEqual(none)
        })
      ))

    it("a worker is alive from its first sign of life until it stops, and only as long as a sign is recent", () =>
      run(
        Effect.gen(function* () {
          const registry = yield* WorkerRegistry
          const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
          yield* Effect.all([registry.beat(one), registry.beat(other), registry.beat(one)])
          const both = yield* stateWithin(60_000)
          expect(both.alive).toBe(2)
          expect(both.lastSeenMs).toBeGreaterThanOrEqual(0)
          expect(both.lastSeenMs).toBeLessThan(60_000)
          expect((yield* stateWithin(0)).alive).toBe(0)
          yield* registry.leave(one)
          expect((yield* stateWithin(60_000)).alive).toBe(1)
          yield* registry.beat(one)
          expect((yield* stateWithin(60_000)).alive).toBe(2)
          yield* Effect.all([registry.leave(one), registry.leave(other)])
          const stopped = yield* stateWithin(60_000)
          expect([stopped.alive, stopped.lastSeenMs === undefined]).toEqual([0, false])
        })
      ))

    it("a job is due until a worker takes it", () =>
      run(
        Effect.gen(function* () {
          const jobs = yield* JobQueue
          const finish = yield* Deferred.make<void>()
          yield* enqueue(newJob(newUserId()))
          const waiting = yield* stateThat(({ due }) => due === 1)
          expect(waiting.oldestDueMs).toBeGreaterThanOrEqual(0)
          yield* jobs.work(handling([TestJob], () => Deferred.await(finish)))
          expect(yield* stateThat(({ due }) => due === 0)).toMatchObject({ oldestDueMs: undefined })
          yield* Deferred.succeed(finish, undefined)
        })
      ))

    it("the worker of a process is seen while it works", () =>
      run(
        Effect.gen(function* () {
          const worker = yield* Effect.provide(JobWorker, JobWorker.layerOf<never>([]))
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* worker.work
              yield* stateThat(({ alive }) => alive === 1)
            })
          )
          expect((yield* stateWithin(60_000)).alive).toBe(0)
        })
      ))
  })
