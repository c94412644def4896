import type pg from "pg"
import { countProcessorTime, type ProcessorTime } from "../measuring/processorTime.ts"
import { busyMilliseconds } from "../measuring/quietMachine.ts"
import type { Contender, Load } from "./Contender.ts"

/** The measurement of one contender in one round. */
export interface Measure {
  readonly pairsPerSecond: number
  /**
   * Milliseconds from the request to reserve until the answer to the charge; empty for contenders that run a loop of
   * their own.
   */
  readonly latencies: ReadonlyArray<number>
  /** Processor time of this process for a pair, in milliseconds; undefined if it cannot be read. */
  readonly clientTime: number | undefined
  readonly serverTime: number | undefined
  /**
   * The cores that were busy during the round with other work than this process and the contender's database
   * connections.
   */
  readonly otherCores: number | undefined
}

const drivePairs = async (
  pair: (account: number) => Promise<void>,
  load: Load,
  callers: number,
  milliseconds: number
): Promise<{ readonly seconds: number; readonly latencies: ReadonlyArray<number> }> => {
  const latencies: Array<number> = []
  const start = performance.now()
  const call = async () => {
    for (let now = performance.now(); now - start < milliseconds;) {
      await pair(Math.floor(Math.random() * load.accounts))
      const after = performance.now()
      latencies.push(after - now)
      now = after
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return { seconds: (performance.now() - start) / 1000, latencies }
}

/** Time for opening connections and filling caches, which is not measured. */
const WARM_MS = 400

/** Runs `callers` loops of pairs for about `milliseconds`. Every caller waits for an answer before its next call. */
export const measureRound = async (
  admin: pg.Client,
  contender: Contender,
  load: Load,
  callers: number,
  milliseconds: number
): Promise<Measure> => {
  if (contender.pair === undefined) {
    const pairs = (await contender.drive?.(load, callers, milliseconds)) ?? Number.NaN
    return {
      pairsPerSecond: pairs / (milliseconds / 1000),
      latencies: [],
      clientTime: undefined,
      serverTime: undefined,
      otherCores: undefined
    }
  }
  await drivePairs(contender.pair, load, callers, WARM_MS)
  const busyBefore = busyMilliseconds()
  const stop = await countProcessorTime(admin)
  const { seconds, latencies } = await drivePairs(contender.pair, load, callers, milliseconds)
  const used: ProcessorTime = await stop()
  const pairs = latencies.length
  return {
    pairsPerSecond: pairs / seconds,
    latencies,
    clientTime: used.client / pairs,
    serverTime: used.server === undefined ? undefined : used.server / pairs,
    otherCores: Math.max(0, busyMilliseconds() - busyBefore - used.client - (used.server ?? 0)) / (seconds * 1000)
  }
}
