import { readdirSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { DatabaseOwner, readStorageState } from "@parley/adapters-db"
import {
  beginInstruments,
  DeliveryRecords,
  FEED,
  instruments,
  TaskRuns,
  WORKER_ALIVE_MS,
  WorkerRegistry
} from "@parley/core/adapter"
import { Cause, Effect, Schedule } from "effect"
import { failureFields } from "@parley/core/adapter"
import type { ParleyConfig } from "../config/readConfig.ts"

/** The interval of samples: shorter than the usual one of scrapes and exports. */
const EVERY = "10 seconds"
const NANOS = 1e9

/** The number of open files and sockets; undefined where the system does not list them. */
const openDescriptors = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

/** Samples this process: its event loop, memory and descriptors. */
const sampleProcess = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const delay = monitorEventLoopDelay({ resolution: 10 })
      delay.enable()
      return delay
    }),
    (delay) => Effect.sync(() => delay.disable())
  ),
  (delay) =>
    Effect.sync(() => {
      // Before the first turn of the loop there is no value.
      instruments.eventLoopP99.record(delay.count === 0 ? 0 : delay.percentile(99) / NANOS)
      instruments.eventLoopMax.record(delay.count === 0 ? 0 : delay.max / NANOS)
      delay.reset()
      const { heapUsed, rss } = process.memoryUsage()
      instruments.memory.record(rss)
      instruments.heap.record(heapUsed)
      const descriptors = openDescriptors()
      if (descriptors !== undefined) instruments.descriptors.record(descriptors)
    })
)

const sampleConnections = DatabaseOwner.use(({ connections }) =>
  Effect.sync(() => {
    const counts = connections()
    if (counts === undefined) return
    instruments.connections.record(counts.used, { "db.client.connection.state": "used" })
    instruments.connections.record(counts.idle, { "db.client.connection.state": "idle" })
    instruments.connectionsMax.record(counts.max)
    instruments.connectionsWaiting.record(counts.waiting)
  })
)

const LAST_SUCCESS = { reset: instruments.resetLastSuccess, verify: instruments.verifyLastSuccess }

const sampleStorage = Effect.gen(function* () {
  const { alive, due, oldestDueMs = 0 } = yield* (yield* WorkerRegistry).state({ aliveMs: WORKER_ALIVE_MS })
  instruments.workersAlive.record(alive)
  instruments.jobsDepth.record(due)
  instruments.jobsOldestAge.record(oldestDueMs / 1_000)
  const state = yield* readStorageState
  instruments.holdsOpen.record(state.holdsOpen)
  instruments.holdsOldestAge.record(state.holdsOldestAge)
  const destinations = (yield* (yield* DeliveryRecords).destinations).filter(({ id }) => id !== FEED)
  instruments.webhooksWaiting.record(destinations.reduce((sum, { pending }) => sum + pending, 0))
  instruments.webhooksLag.record(Math.max(0, ...destinations.map(({ oldestMs = 0 }) => oldestMs)) / 1_000)
  instruments.eventsDead.record(destinations.reduce((sum, { dead }) => sum + dead, 0))
  instruments.paymentsWaiting.record(state.paymentsWaiting)
  for (const { endedAt, findings, task } of yield* (yield* TaskRuns).ended) {
    LAST_SUCCESS[task].record(Math.round(endedAt / 1_000))
    if (task === "verify") instruments.verifyDifferences.record(findings)
  }
})

const sampledEvery = <E, R>(sample: Effect.Effect<void, E, R>) =>
  Effect.forkScoped(Effect.repeat(sample, Schedule.spaced(EVERY)))

/** Samples the gauges every ten seconds until the scope closes, if metrics are exported. */
export const startSamples = Effect.fnUntraced(function* ({ metricsPort, otlp }: ParleyConfig) {
  if (metricsPort === undefined && otlp === undefined) return
  beginInstruments()
  const ofProcess = yield* sampleProcess
  const ofStorage = Effect.catchCause(sampleStorage, (cause) =>
    Effect.annotateLogs(
      Effect.logWarning("Metrics of the storage could not be read."),
      failureFields(Cause.squash(cause))
    )
  )
  yield* sampledEvery(Effect.andThen(ofProcess, sampleConnections))
  // On its own: a storage that does not answer delays no sample of the process.
  yield* sampledEvery(ofStorage)
})
