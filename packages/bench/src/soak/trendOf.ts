import { median, quantile } from "../measuring/statistics.ts"
import type { Quantity, Series } from "./Sampler.ts"

/** The share of the run, at its beginning, that is ignored. */
const WARM_UP = 0.15
/** The share of the remaining run whose values are compared: its first part with its last part. */
const COMPARED = 0.2
const HOUR_MS = 3_600_000

/**
 * The shortest run in which memory is judged: in a shorter one, memory still grows to the size at which garbage is
 * collected.
 */
const MEMORY_FROM_MS = 600_000
const MEMORY: ReadonlyArray<Quantity> = ["memory, MiB", "heap, MiB"]

/** The most by which a quantity may have grown at the end: a share of its value at the start, and an amount. */
const ALLOWED: Partial<Record<Quantity, { readonly share: number; readonly amount: number }>> = {
  "memory, MiB": { share: 0.15, amount: 24 },
  "heap, MiB": { share: 0.15, amount: 6 },
  descriptors: { share: 0.2, amount: 16 },
  "child processes": { share: 0, amount: 2 },
  "replies running": { share: 0.5, amount: 5 },
  connections: { share: 0.1, amount: 4 },
  "open holds": { share: 0.5, amount: 8 },
  "oldest hold, s": { share: 0.5, amount: 10 },
  "jobs due": { share: 0.5, amount: 4 }
}

/** The values of a quantity at the start and at the end of a run. */
export interface Trend {
  readonly owner: string
  readonly quantity: Quantity
  readonly start: number
  readonly end: number
  readonly perHour: number
  /** True if the quantity has not grown too much; undefined if it is only reported. */
  readonly isFlat: boolean | undefined
}

/** Returns the slope of the least squares line, per hour. */
const slopeOf = (values: Series["values"]): number => {
  const mean = (of: (each: Series["values"][number]) => number) =>
    values.reduce((sum, each) => sum + of(each), 0) / values.length
  const [at, value] = [mean((each) => each.at), mean((each) => each.value)]
  const spread = values.reduce((sum, each) => sum + (each.at - at) ** 2, 0)
  return (values.reduce((sum, each) => sum + (each.at - at) * (each.value - value), 0) / spread) * HOUR_MS
}

/**
 * Compares the last part of a run with the first part after the warm-up, by medians. For the heap, whose size falls
 * with each garbage collection, lower quartiles are compared. `from` and `to` are Unix milliseconds.
 */
export const trendOf = ({ owner, quantity, values }: Series, from: number, to: number): Trend => {
  const begin = from + (to - from) * WARM_UP
  const part = (to - begin) * COMPARED
  const counted = values.filter(({ at }) => at >= begin && at <= to)
  const middle = (low: number, high: number) => {
    const within = counted.filter(({ at }) => at >= low && at <= high).map(({ value }) => value)
    return quantity === "heap, MiB" ? quantile(within, 0.25) : median(within)
  }
  const [start, end] = [middle(begin, begin + part), middle(to - part, to)]
  const isTooShort = MEMORY.includes(quantity) && to - from < MEMORY_FROM_MS
  const allowed = isTooShort ? undefined : ALLOWED[quantity]
  const isFlat = allowed && end <= start + start * allowed.share + allowed.amount
  return { owner, quantity, start, end, perHour: slopeOf(counted), isFlat }
}

const VERDICTS = new Map<boolean | undefined, string>([
  [true, "flat"],
  [false, "GROWS"],
  [undefined, ""]
])

/** Returns the trends as a table for people. */
export const trendTable = (trends: ReadonlyArray<Trend>): string =>
  [
    `${"".padEnd(12)} ${"".padEnd(20)} ${"start".padStart(9)} ${"end".padStart(9)} ${"an hour".padStart(9)}`,
    ...trends.map(({ end, isFlat, owner, perHour, quantity, start }) => {
      const figures = [start, end, perHour].map((value) => value.toFixed(1).padStart(9)).join(" ")
      return `${owner.padEnd(12)} ${quantity.padEnd(20)} ${figures}  ${VERDICTS.get(isFlat)}`
    })
  ].join("\n")
