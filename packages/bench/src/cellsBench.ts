/**
 * Compares pairs of reserve and settle on one database with the same through the router of cells: over one cell, and over
 * four. Simulates up to 64 cells with the measured times. `npm run bench:cells`, with TEST_DATABASE_URL; `-- --quick` for
 * a short run, `-- --servers <url>,<url>,...` for cells on servers of their own. `-- --away 10` has one of four cells away for
 * ten minutes instead. `-- --split 100000 --servers <url>,<url of its replica>` splits a cell of so many people. Exits with 1
 * if a goal is missed.
 */
import { parseArgs } from "node:util"
import type pg from "pg"
import { measureAway } from "./cells/cellAway.ts"
import { CALLERS, cellOfAccount, type Contender, Contenders, measure } from "./cells/contenders.ts"
import { measureSplit } from "./cells/splitTime.ts"
import { simulateCells } from "./cells/simulateCells.ts"
import { machineFacts } from "./measuring/machineFacts.ts"
import { median, quantile, shuffled } from "./measuring/statistics.ts"

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    servers: { type: "string" },
    away: { type: "string" },
    split: { type: "string" }
  }
})
const rounds = Number(flags.rounds ?? (flags.quick ? 5 : 15))
const milliseconds = flags.quick ? 1_000 : 2_000
/** A call over one cell may use this much more processor time than one on one database. */
const MOST = 1.02

const lineOf = ({ costs, latencies, name, rates }: Contender): string =>
  [
    name.padEnd(28),
    median(rates).toFixed(0).padStart(8),
    quantile(latencies, 0.99).toFixed(0).padStart(8),
    median(costs).toFixed(3).padStart(8)
  ].join(" ")

const simulate = (serviceMs: ReadonlyArray<number>): void => {
  console.log("\nsimulated, two cores a cell at 70 % load        pairs/s   p50 ms   p99 ms  busiest cell")
  for (const cells of [1, 4, 16, 64]) {
    const one = { cells, serviceMs, coresPerCell: 2, load: 0.7, owners: cells * 10_000, pairs: cells * 10_000 }
    const { busiest, p50Ms, p99Ms, pairsPerSecond } = simulateCells({ ...one, cellOf: cellOfAccount })
    const figures = [pairsPerSecond.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2), `${busiest.toFixed(2)} x`]
    console.log(`${String(cells).padStart(3)} cells`.padEnd(46) + figures.map((figure) => figure.padStart(9)).join(""))
  }
}

const compare = async (contenders: Contenders): Promise<void> => {
  const plain = await contenders.oneDatabase("one database")
  const single = await contenders.overCells("one cell", 1)
  await contenders.overCells("four cells", 4)
  console.log(`${await machineFacts(plain.admins[0] as pg.Client)}\n${CALLERS} callers, ${rounds} rounds, random order`)
  for (let round = 1; round <= rounds; round += 1) {
    for (const one of shuffled(contenders.all)) await measure(one, milliseconds)
    process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  console.log(`${" ".repeat(28)}  pairs/s   p99 ms  ms a pair\n${contenders.all.map(lineOf).join("\n")}`)
  const ratio = median(single.costs.map((cost, round) => cost / (plain.costs[round] ?? Number.NaN)))
  console.log(
    `${ratio <= MOST ? "met   " : "MISSED"} one cell / one database, processor time, at most ${MOST}: ${ratio.toFixed(3)}`
  )
  if (ratio > MOST) process.exitCode = 1
  simulate(plain.costs)
}

const servers = flags.servers?.split(",") ?? []
if (flags.split !== undefined) {
  const [primary = "", replica = ""] = servers
  await measureSplit(Number(flags.split), primary, replica)
} else {
  await using contenders = new Contenders(servers)
  if (flags.away === undefined) await compare(contenders)
  else if (!(await measureAway(contenders, Number(flags.away)))) process.exitCode = 1
}
