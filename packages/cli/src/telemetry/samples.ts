import { readdirSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import {
  DatabaseOwner,
  Databases,
  estimatedOwners,
  inDatabase,
  listCells,
  moving,
  readStorageState
} from "@parley/adapters-db"
import {
  beginInstruments,
  DeliveryRecords,
  FEED,
  instruments,
  TaskRuns,
  WORKER_ALIVE_MS,
  WorkerRegistry
} from "@parley/core/adapter"
import { Cause, Context, Effect, Option, Schedule } from "effect"
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

const sampleConnections = Databases.use(({ all, cells }) =>
  Effect.sync(() => {
    for (const { name, services } of all) {
      const counts = Context.get(services, DatabaseOwner).connections()
      if (counts === undefined) continue
      const label = cells === undefined ? {} : { "parley.cell": name }
      instruments.connections.record(counts.used, { "db.client.connection.state": "used", ...label })
      instruments.connections.record(counts.idle, { "db.client.connection.state": "idle", ...label })
      instruments.connectionsMax.record(counts.max, label)
      instruments.connectionsWaiting.record(counts.waiting, label)
    }
  })
)

const LAST_SUCCESS = { reset: instruments.resetLastSuccess, verify: instruments.verifyLastSuccess }

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

/** What waits in each database. The other ones count if a cell does not answer; a single database has to. */
const storageStates = Effect.gen(function* () {
  const { all, cells } = yield* Databases
  if (cells === undefined) return [yield* readStorageState]
  const states = yield* Effect.forEach(all, (database) => Effect.option(inDatabase(database, readStorageState)), {
    concurrency: "unbounded"
  })
  return states.flatMap(Option.toArray)
})

const sampleStorage = Effect.gen(function* () {
  const { alive, due, oldestDueMs = 0 } = yield* (yield* WorkerRegistry).state({ aliveMs: WORKER_ALIVE_MS })
  instruments.workersAlive.record(alive)
  instruments.jobsDepth.record(due)
  instruments.jobsOldestAge.record(oldestDueMs / 1_000)
  const states = yield* storageStates
  instruments.holdsOpen.record(sumOf(states.map(({ holdsOpen }) => holdsOpen)))
  instruments.holdsOldestAge.record(Math.max(0, ...states.map(({ holdsOldestAge }) => holdsOldestAge)))
  const destinations = (yield* (yield* DeliveryRecords).destinations).filter(({ id }) => id !== FEED)
  instruments.webhooksWaiting.record(destinations.reduce((sum, { pending }) => sum + pending, 0))
  instruments.webhooksLag.record(Math.max(0, ...destinations.map(({ oldestMs = 0 }) => oldestMs)) / 1_000)
  instruments.eventsDead.record(destinations.reduce((sum, { dead }) => sum + dead, 0))
  instruments.paymentsWaiting.record(sumOf(states.map(({ paymentsWaiting }) => paymentsWaiting)))
  for (const { endedAt, findings, task } of yield* (yield* TaskRuns).ended) {
    LAST_SUCCESS[task].record(Math.round(endedAt / 1_000))
    if (task === "verify") instruments.verifyDifferences.record(findings)
  }
})

/** Samples each cell of the directory: whether it is ready, its accounts, and its part of the directory. */
const sampleCells = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells === undefined) return
  for (const { buckets, database, name, placements, state } of yield* listCells) {
    if (state === "unknown") continue
    const label = { "parley.cell": name }
    instruments.cellAbsent.record(database === "absent" ? 1 : 0, label)
    instruments.cellBuckets.record(buckets, label)
    instruments.cellPlacements.record(placements, label)
    const cell = cells.byName.get(name)
    if (cell === undefined || database === "absent") continue
    instruments.cellOwners.record(yield* inDatabase(cell, estimatedOwners), label)
  }
})

/** Samples the moves that run or were interrupted. */
const sampleMoves = Effect.gen(function* () {
  const { cells } = yield* Databases
  if (cells === undefined) return
  const unfinished = yield* moving(() => cells.moves.unfinishedMoves())
  for (const name of cells.byName.keys())
    instruments.cellMoves.record(unfinished.filter(({ cell }) => cell === name).length, { "parley.cell": name })
})

const sampledEvery = <E, R>(sample: Effect.Effect<void, E, R>) =>
  Effect.forkScoped(Effect.repeat(sample, Schedule.spaced(EVERY)))

/** Samples the gauges every ten seconds until the scope closes, if metrics are exported. */
export const startSamples = Effect.fnUntraced(function* ({ metricsPort, otlp }: ParleyConfig) {
  if (metricsPort === undefined && otlp === undefined) return
  beginInstruments()
  const ofProcess = yield* sampleProcess
  const ofStorage = Effect.catchCause(
    Effect.all([sampleStorage, sampleCells, sampleMoves], { discard: true }),
    (cause) =>
      Effect.annotateLogs(
        Effect.logWarning("Metrics of the storage could not be read."),
        failureFields(Cause.squash(cause))
      )
  )
  yield* sampledEvery(Effect.andThen(ofProcess, sampleConnections))
  // On its own: a storage that does not answer delays no sample of the process.
  yield* sampledEvery(ofStorage)
})
