import { median, quantile } from "../measuring/statistics.ts"
import type { Measure } from "./measureRound.ts"

/** The measurements of one contender in all rounds of one load. */
export interface Series {
  readonly load: string
  readonly name: string
  readonly measures: ReadonlyArray<Measure>
}

export const rateOf = ({ measures }: Series): number => median(measures.map(({ pairsPerSecond }) => pairsPerSecond))

const COLUMNS = ["pairs/s", "min", "max", "p50 ms", "p99 ms", "client ms", "server ms", "others", "ratio"] as const
const WIDTH = 10

const number = (value: number | undefined, digits = 0): string =>
  value === undefined || Number.isNaN(value) ? "-" : value.toFixed(digits)

const time = (series: Series, of: (measure: Measure) => number | undefined, digits = 3): string => {
  const values = series.measures.map(of)
  return values.includes(undefined) ? "-" : number(median(values as ReadonlyArray<number>), digits)
}

const rowOf = (series: Series, subject: Series): string => {
  const rates = series.measures.map(({ pairsPerSecond }) => pairsPerSecond)
  const latencies = series.measures.flatMap((measure) => measure.latencies)
  const cells = [
    number(median(rates)),
    number(Math.min(...rates)),
    number(Math.max(...rates)),
    number(quantile(latencies, 0.5), 1),
    number(quantile(latencies, 0.99), 1),
    time(series, ({ clientTime }) => clientTime),
    time(series, ({ serverTime }) => serverTime),
    time(series, ({ otherCores }) => otherCores, 1),
    `${number(rateOf(subject) / median(rates), 2)}x`
  ]
  return series.name.padEnd(40) + cells.map((cell) => cell.padStart(WIDTH)).join("")
}

/** Returns the table for one load. The column `ratio` is the rate of `subject` divided by the rate of the row. */
export const creditsTable = (title: string, all: ReadonlyArray<Series>, subject: Series): string =>
  [
    title.padEnd(40) + COLUMNS.map((name) => name.padStart(WIDTH)).join(""),
    ...all.map((series) => rowOf(series, subject))
  ].join("\n")
