import { assert, it } from "@effect/vitest"
import { Database, DatabaseOwner, Databases, type NamedDatabase } from "@parley/adapters-db"
import { DeliveryRecords, instruments, TaskRuns, WorkerRegistry } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { ParleyConfig } from "../../src/config/readConfig.ts"
import { startSamples } from "../../src/telemetry/samples.ts"

const METRICS = { metricsPort: 0, otlp: undefined } as ParleyConfig

/** The parts that are sampled, with this state of the workers. Samples of the process are counted by its connections. */
const sampled = (state: WorkerRegistry["Service"]["state"]) => {
  const samples = { ofProcess: 0 }
  const connections = () => {
    samples.ofProcess += 1
    return undefined
  }
  const database = Layer.mergeAll(
    Layer.succeed(DatabaseOwner, { connections } as unknown as DatabaseOwner["Service"]),
    Layer.succeed(Database, {
      schema: "parley",
      statement: () => Effect.succeed([{}])
    } as unknown as Database["Service"])
  )
  const databases = Layer.effect(
    Databases,
    Effect.map(Effect.context<Database | DatabaseOwner>(), (services) => {
      const only = { name: "global", services: services as NamedDatabase["services"] }
      return { global: only, all: [only], cells: undefined }
    })
  )
  const parts = Layer.mergeAll(
    Layer.provideMerge(databases, database),
    Layer.succeed(WorkerRegistry, { state } as WorkerRegistry["Service"]),
    Layer.succeed(DeliveryRecords, { destinations: Effect.succeed([]) } as unknown as DeliveryRecords["Service"]),
    Layer.succeed(TaskRuns, { ended: Effect.succeed([]) } as unknown as TaskRuns["Service"])
  )
  return { samples, parts }
}

it.effect("a storage that never answers does not keep a process from being sampled", () => {
  const { parts, samples } = sampled(() => Effect.never)
  return Effect.gen(function* () {
    yield* startSamples(METRICS)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(samples.ofProcess, 7)
  }).pipe(Effect.provide(parts), Effect.scoped)
})

it.effect("the storage is sampled again after a sample of it broke", () => {
  let broken = true
  const working = Effect.succeed({ alive: 3, due: 0, lastSeenMs: undefined, oldestDueMs: undefined })
  const { parts } = sampled(() => Effect.suspend(() => (broken ? Effect.die(new Error("broken")) : working)))
  return Effect.gen(function* () {
    yield* startSamples(METRICS)
    yield* TestClock.adjust("15 seconds")
    broken = false
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual(instruments.workersAlive.read(), 3)
  }).pipe(Effect.provide(parts), Effect.scoped)
})
