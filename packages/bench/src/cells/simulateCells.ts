import { quantile } from "../measuring/statistics.ts"

export interface SimulatedCells {
  readonly cells: number
  /** Processor milliseconds that one cell spends on one pair, as they were measured. */
  readonly serviceMs: ReadonlyArray<number>
  readonly coresPerCell: number
  /** The share of all cores that the arriving pairs keep busy, 0 to 1. */
  readonly load: number
  readonly owners: number
  readonly pairs: number
  /** The cell of an owner. */
  readonly cellOf: (owner: number, cells: number) => number
}

export interface Simulated {
  readonly pairsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The pairs of the busiest cell, compared with the average cell. */
  readonly busiest: number
}

/** Random numbers from 0 to 1 that are the same in each run (Marsaglia's xorshift, 2003). */
const seeded = (seed: number) => {
  let state = seed
  return (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/**
 * Simulates cells as queues: pairs of random owners arrive at random moments, wait for a core of the owner's cell and keep it
 * for a recorded time. The cells share nothing, so that only the spread of the owners decides how far they scale.
 */
export const simulateCells = (input: SimulatedCells): Simulated => {
  const { cellOf, cells, coresPerCell, load, owners, pairs, serviceMs } = input
  const random = seeded(20_261_129)
  const mean = serviceMs.reduce((sum, time) => sum + time, 0) / serviceMs.length
  const betweenMs = mean / (cells * coresPerCell * load)
  const freeAt = Array.from({ length: cells }, () => new Float64Array(coresPerCell))
  const served = new Float64Array(cells)
  const waits: Array<number> = []
  let now = 0
  for (let pair = 0; pair < pairs; pair += 1) {
    now -= betweenMs * Math.log(1 - random())
    const cell = cellOf(Math.floor(random() * owners), cells)
    const cores = freeAt[cell] ?? new Float64Array(coresPerCell)
    const first = cores.indexOf(Math.min(...cores))
    const begun = Math.max(now, cores[first] ?? 0)
    const time = serviceMs[Math.floor(random() * serviceMs.length)] ?? mean
    cores[first] = begun + time
    served[cell] = (served[cell] ?? 0) + 1
    waits.push(begun + time - now)
  }
  return {
    pairsPerSecond: pairs / (now / 1000),
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
    busiest: Math.max(...served) / (pairs / cells)
  }
}
