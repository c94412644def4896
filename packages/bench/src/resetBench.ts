/**
 * Measures the monthly reset of many accounts on a real Postgres: its duration, compared with one bare statement for
 * the same number of rows; its memory; and the delay of concurrent reservations, alternately with and without a reset.
 * `npm run bench:reset`, with TEST_DATABASE_URL; `-- --quick` for 100,000 accounts. Exits with 1 if a goal is missed.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { CreditLedger, CreditUpkeep, TaskRuns } from "@parley/core/adapter"
import { parseArgs } from "node:util"
import { type OpenDatabase, openDatabase } from "@parley/adapters-db"
import { Catalog, ResetService } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import type { ResetReport } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import pg from "pg"
import { machineFacts } from "./measuring/machineFacts.ts"
import { countProcessorTime } from "./measuring/processorTime.ts"
import { waitUntilQuiet } from "./measuring/quietMachine.ts"
import { median, quantile } from "./measuring/statistics.ts"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"
import { createBareAccounts, makeBareDue, runBareReset } from "./reset/bareReset.ts"
import { createDueAccounts, userOf } from "./reset/dueAccounts.ts"
import { startReserveTraffic } from "./reset/reserveTraffic.ts"

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    accounts: { type: "string" },
    rounds: { type: "string", default: "3" },
    patience: { type: "string", default: "5" }
  }
})
const accounts = Number(flags.accounts ?? (flags.quick ? 100_000 : 1_000_000))
const rounds = Number(flags.rounds)
const patienceMs = flags.quick ? 0 : Number(flags.patience) * 1000
const QUIET_MS = 10_000
const CHUNKS_PER_SAMPLE = 20
const MEBIBYTE = 2 ** 20

interface Run {
  readonly seconds: number
  readonly count: number
  /** Processor time in milliseconds for 10,000 accounts: that of this process, and that of the database server. */
  readonly clientTime: number
  readonly serverTime: number
}

const timed = async (admin: pg.Client, work: () => Promise<number>): Promise<Run> => {
  const stop = await countProcessorTime(admin)
  const start = performance.now()
  const count = await work()
  const seconds = (performance.now() - start) / 1000
  const { client, server = Number.NaN } = await stop()
  const each = accounts / 10_000
  return { count, seconds, clientTime: client / each, serverTime: server / each }
}

const resetAll = (
  database: OpenDatabase,
  asOf: number,
  onProgress: (report: ResetReport) => void
): Promise<ResetReport> =>
  Effect.runPromise(
    Effect.flatMap(ResetService, (service) =>
      service.run({ asOf, early: true, onProgress: (report) => Effect.sync(() => onProgress(report)) })
    ).pipe(
      Effect.provide(
        ResetService.layer.pipe(
          Layer.provide([
            Layer.succeed(CreditLedger, database.ledger),
            Layer.succeed(CreditUpkeep, database.creditUpkeep),
            Layer.succeed(TaskRuns, database.taskRuns),
            Layer.succeed(Catalog, makeCatalog())
          ])
        )
      )
    )
  )

/** Runs the `month`-th reset. Each one is due a month after the previous one. */
const monthlyReset = (admin: pg.Client, database: OpenDatabase, month: number, onProgress: () => void = () => {}) =>
  timed(admin, async () => {
    const asOf = new Date()
    asOf.setUTCMonth(asOf.getUTCMonth() + month)
    const report = await resetAll(database, asOf.getTime(), onProgress)
    return report.resetCount
  })

/** Samples the used memory after garbage collections, because the amount of garbage depends only on V8. */
const memorySampler = () => {
  const samples: Array<number> = []
  let calls = 0
  const sample = () => {
    calls += 1
    if (calls % CHUNKS_PER_SAMPLE !== 0) return
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    samples.push((heapUsed + external) / MEBIBYTE)
  }
  return { samples, sample }
}

const line = (name: string, value: string) => console.log(`${name.padEnd(48)}${value}`)

const verdict = (text: string, value: number, most: number, unit: string): void => {
  if (!(value <= most)) process.exitCode = 1
  console.log(
    `${value <= most ? "met   " : "MISSED"} ${text.padEnd(44)} ${value.toFixed(2)}${unit} (goal ${most.toFixed(2)}${unit})`
  )
}

/**
 * Checks that every balance follows from its transactions, and that every account got its allowance once in each month.
 */
const check = async (admin: pg.Client, months: number): Promise<void> => {
  const { rows } = await admin.query<{ wrong: number }>(`
    SELECT count(*)::int AS wrong FROM parley.credit_accounts a JOIN (
      SELECT user_id, sum(amount) AS total, count(*) FILTER (WHERE reference LIKE 'period:%') AS resets
      FROM parley.credit_transactions GROUP BY user_id
    ) t USING (user_id) WHERE a.allowance + a.topup - a.debt <> t.total OR t.resets <> ${months + 1}`)
  if (rows[0]?.wrong !== 0) throw new Error(`${rows[0]?.wrong} accounts are not as ${months} resets should leave them.`)
}

const compare = async (admin: pg.Client, database: OpenDatabase): Promise<void> => {
  const bare: Array<Run> = []
  const ours: Array<Run> = []
  const memory = memorySampler()
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) await makeBareDue(admin)
    await waitUntilQuiet(patienceMs)
    bare.push(await timed(admin, () => runBareReset(admin)))
    await admin.query("VACUUM (ANALYZE) parley.credit_accounts, parley.credit_transactions, parley.credit_idempotency")
    await waitUntilQuiet(patienceMs)
    ours.push(await monthlyReset(admin, database, round, memory.sample))
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  for (const { count } of [...bare, ...ours]) {
    if (count !== accounts) throw new Error(`${count} of ${accounts} accounts were reset.`)
  }
  await check(admin, rounds)
  const all = (runs: ReadonlyArray<Run>) => runs.map(({ seconds }) => seconds.toFixed(1)).join(", ")
  const secondsOf = (runs: ReadonlyArray<Run>) => median(runs.map(({ seconds }) => seconds))
  line("one bare statement, seconds", all(bare))
  line("parley, in chunks, seconds", all(ours))
  const times = (runs: ReadonlyArray<Run>) =>
    runs.map(({ clientTime, serverTime }) => `${clientTime.toFixed(0)} + ${serverTime.toFixed(0)}`).join(", ")
  line("processor ms for 10,000, client + server: bare", times(bare))
  line("  parley", times(ours))
  const quarter = Math.ceil(memory.samples.length / 4)
  const early = Math.max(...memory.samples.slice(0, quarter))
  const late = Math.max(...memory.samples.slice(-quarter))
  const resident = process.memoryUsage.rss() / MEBIBYTE
  line(
    "memory, first and last quarter, MiB",
    `${early.toFixed(1)}, ${late.toFixed(1)} (resident ${resident.toFixed(0)})`
  )
  verdict("reset / bare statement", secondsOf(ours) / secondsOf(bare), 2, "")
  verdict("memory, last quarter / first", late / early, 1.25, "")
}

const measureTraffic = async (admin: pg.Client, database: OpenDatabase): Promise<void> => {
  const alone: Array<ReadonlyArray<number>> = []
  const beside: Array<ReadonlyArray<number>> = []
  const seconds: Array<number> = []
  for (let round = 0; round < rounds; round += 1) {
    await admin.query("VACUUM (ANALYZE) parley.credit_accounts")
    await waitUntilQuiet(patienceMs)
    const quiet = startReserveTraffic(database.ledger, userOf, accounts)
    await sleep(QUIET_MS)
    alone.push(await quiet.stop())
    await waitUntilQuiet(patienceMs)
    const traffic = startReserveTraffic(database.ledger, userOf, accounts)
    const reset = await monthlyReset(admin, database, rounds + round)
    beside.push(await traffic.stop())
    if (reset.count !== accounts)
      throw new Error(`${reset.count} of ${accounts} accounts were reset beside the replies.`)
    seconds.push(reset.seconds)
  }
  await check(admin, 2 * rounds)
  const each = (runs: ReadonlyArray<ReadonlyArray<number>>, part: number) => runs.map((run) => quantile(run, part))
  const told = (runs: ReadonlyArray<ReadonlyArray<number>>) =>
    [0.5, 0.99, 1]
      .map((part) =>
        each(runs, part)
          .map((value) => value.toFixed(1))
          .join(" ")
      )
      .join(", ")
  const p99 = (runs: ReadonlyArray<ReadonlyArray<number>>) => median(each(runs, 0.99))
  line("resets beside replies, seconds", seconds.map((value) => value.toFixed(1)).join(", "))
  line("reserves alone, ms: p50, p99, longest", told(alone))
  line("reserves beside a reset", told(beside))
  verdict("reserves beside it, p99", p99(beside), Math.max(50, 5 * p99(alone)), " ms")
}

const temporary = await createTemporaryDatabase()
const admin = new pg.Client({ connectionString: temporary.url })
try {
  await admin.connect()
  const database = await openDatabase({ url: temporary.url })
  try {
    console.log(`${await machineFacts(admin)}\n${accounts} accounts with a month of history, ${rounds} rounds`)
    await createDueAccounts(admin, accounts)
    await createBareAccounts(admin)
    await compare(admin, database)
    await measureTraffic(admin, database)
  } finally {
    await database.close()
  }
} finally {
  await admin.end()
  await temporary.drop()
}
