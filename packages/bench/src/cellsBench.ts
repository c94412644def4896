/**
 * Compares pairs of reserve and settle on one database with the same through the router of cells: over one cell, and over
 * four. Simulates up to 64 cells with the measured times. `npm run bench:cells`, with TEST_DATABASE_URL; `-- --quick` for
 * a short run, `-- --servers <url>,<url>,...` for cells on servers of their own. Exits with 1 if a goal is missed.
 */
import { createHash } from "node:crypto"
import { parseArgs } from "node:util"
import { openCells, type OpenDatabase, openDatabase } from "@parley/adapters-db"
import { openAccount } from "@parley/core/adapter"
import { Effect } from "effect"
import pg from "pg"
import { simulateCells } from "./cells/simulateCells.ts"
import { ACCOUNTS, FUNDS } from "./credits/Contender.ts"
import { reserveAndSettle, userOf } from "./credits/parleyLedger.ts"
import { machineFacts } from "./measuring/machineFacts.ts"
import { countProcessorTime } from "./measuring/processorTime.ts"
import { median, quantile, shuffled } from "./measuring/statistics.ts"
import { createTemporaryDatabase, type TemporaryDatabase } from "./measuring/temporaryDatabase.ts"

const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, rounds: { type: "string" }, servers: { type: "string" } }
})
const rounds = Number(flags.rounds ?? (flags.quick ? 5 : 15))
const milliseconds = flags.quick ? 1_000 : 2_000
const CALLERS = 64
/** A call over one cell may use this much more processor time than one on one database. */
const MOST = 1.02

interface Contender {
  readonly name: string
  readonly stores: OpenDatabase
  readonly admins: ReadonlyArray<pg.Client>
  readonly rates: Array<number>
  /** Processor milliseconds of this process and of all servers for one pair. */
  readonly costs: Array<number>
  readonly latencies: Array<number>
}

const temporaries: Array<TemporaryDatabase> = []
const servers = flags.servers?.split(",") ?? []

/** A new database; the nth cell's on the nth server, if there are several. */
const newDatabase = async (place = 0): Promise<string> => {
  const made = await createTemporaryDatabase(servers.length === 0 ? undefined : servers[place % servers.length])
  temporaries.push(made)
  return made.url
}

const connected = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

const contender = async (name: string, stores: OpenDatabase, urls: ReadonlyArray<string>): Promise<Contender> => {
  const users = Array.from({ length: ACCOUNTS }, (_, account) => userOf(account))
  const open = (userId: string) => stores.ledger.run(openAccount({ userId, tier: "free", allowance: FUNDS }))
  await Effect.runPromise(Effect.forEach(users, open, { concurrency: 500, discard: true }))
  return { name, stores, admins: await Promise.all(urls.map(connected)), rates: [], costs: [], latencies: [] }
}

const overCells = async (name: string, count: number): Promise<Contender> => {
  const urls = await Promise.all(Array.from({ length: count }, (_, place) => newDatabase(place)))
  const cells = Object.fromEntries(urls.map((url, place) => [`cell-${place}`, { url }]))
  const stores = await openCells({ global: "cell-0", cells })
  const bucketsOf = (place: number) =>
    Array.from({ length: 4096 }, (_, bucket) => bucket).filter((n) => n % count === place)
  for (let place = 1; place < count; place += 1) await stores.assign(`cell-${place}`, bucketsOf(place))
  return contender(name, stores, urls)
}

const drive = async ({ stores }: Contender, lastMs: number): Promise<ReadonlyArray<number>> => {
  const latencies: Array<number> = []
  const start = performance.now()
  const call = async () => {
    for (let before = performance.now(); before - start < lastMs;) {
      await Effect.runPromise(reserveAndSettle(stores.ledger, userOf(Math.floor(Math.random() * ACCOUNTS))))
      const after = performance.now()
      latencies.push(after - before)
      before = after
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  return latencies
}

const measure = async (one: Contender): Promise<void> => {
  await drive(one, 400)
  const stops = await Promise.all(one.admins.map(countProcessorTime))
  const start = performance.now()
  const latencies = await drive(one, milliseconds)
  const seconds = (performance.now() - start) / 1000
  const used = await Promise.all(stops.map((stop) => stop()))
  const server = used.reduce((sum, time) => sum + (time.server ?? Number.NaN), 0)
  one.rates.push(latencies.length / seconds)
  one.costs.push(((used[0]?.client ?? Number.NaN) + server) / latencies.length)
  one.latencies.push(...latencies)
}

const lineOf = ({ costs, latencies, name, rates }: Contender): string =>
  [
    name.padEnd(28),
    median(rates).toFixed(0).padStart(8),
    quantile(latencies, 0.99).toFixed(0).padStart(8),
    median(costs).toFixed(3).padStart(8)
  ].join(" ")

/** The first 12 bits of the SHA-256 of the id are the owner's bucket; the buckets are dealt out evenly. */
const simulatedCell = (owner: number, cells: number): number => {
  const digest = createHash("sha256").update(userOf(owner)).digest()
  return (((digest[0] ?? 0) << 4) | ((digest[1] ?? 0) >> 4)) % cells
}

const simulate = (serviceMs: ReadonlyArray<number>): void => {
  console.log("\nsimulated, two cores a cell at 70 % load        pairs/s   p50 ms   p99 ms  busiest cell")
  for (const cells of [1, 4, 16, 64]) {
    const one = { cells, serviceMs, coresPerCell: 2, load: 0.7, owners: cells * 10_000, pairs: cells * 10_000 }
    const { busiest, p50Ms, p99Ms, pairsPerSecond } = simulateCells({ ...one, cellOf: simulatedCell })
    const figures = [pairsPerSecond.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2), `${busiest.toFixed(2)} x`]
    console.log(`${String(cells).padStart(3)} cells`.padEnd(46) + figures.map((figure) => figure.padStart(9)).join(""))
  }
}

const contenders: Array<Contender> = []
try {
  const url = await newDatabase()
  contenders.push(
    await contender("one database", await openDatabase({ url }), [url]),
    await overCells("one cell", 1),
    await overCells("four cells", 4)
  )
  const [plain, single] = contenders as [Contender, Contender, ...Array<Contender>]
  console.log(`${await machineFacts(plain.admins[0] as pg.Client)}\n${CALLERS} callers, ${rounds} rounds, random order`)
  for (let round = 1; round <= rounds; round += 1) {
    for (const one of shuffled(contenders)) await measure(one)
    process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  console.log(`${" ".repeat(28)}  pairs/s   p99 ms  ms a pair\n${contenders.map(lineOf).join("\n")}`)
  const ratio = median(single.costs.map((cost, round) => cost / (plain.costs[round] ?? Number.NaN)))
  console.log(
    `${ratio <= MOST ? "met   " : "MISSED"} one cell / one database, processor time, at most ${MOST}: ${ratio.toFixed(3)}`
  )
  if (ratio > MOST) process.exitCode = 1
  simulate(plain.costs)
} finally {
  for (const { admins, stores } of contenders) {
    await Promise.all(admins.map((admin) => admin.end()))
    await stores.close()
  }
  for (const temporary of temporaries) await temporary.drop()
}
