/**
 * The monthly reset of many accounts on a real Postgres: how long it takes beside one bare statement over as many rows,
 * how much memory it needs, and what the replies going on meanwhile feel. `npm run bench:reset`, with
 * TEST_DATABASE_URL; `-- --quick` for 100,000 accounts. Exits with 1 where a goal is missed.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { type OpenDatabase, openDatabase } from "@parley/adapters-db"
import { Catalog, CreditLedger, makeCatalog, type ResetReport, ResetService } from "@parley/core"
import { Effect, Layer } from "effect"
import pg from "pg"
import { machineFacts } from "./measuring/machineFacts.ts"
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
const MEBIBYTE = 2 ** 20

interface Run {
  readonly seconds: number
  readonly count: number
}

const timed = async (work: () => Promise<number>): Promise<Run> => {
  await waitUntilQuiet(patienceMs)
  const start = performance.now()
  const count = await work()
  return { count, seconds: (performance.now() - start) / 1000 }
}

const resetAll = (
  database: OpenDatabase,
  asOf: number,
  onProgress: (report: ResetReport) => void
): Promise<ResetReport> =>
  Effect.runPromise(
    Effect.flatMap(ResetService, (service) =>
      service.run({ asOf, onProgress: (report) => Effect.sync(() => onProgress(report)) })
    ).pipe(
      Effect.provide(
        ResetService.layer.pipe(
          Layer.provide([Layer.succeed(CreditLedger, database.ledger), Layer.succeed(Catalog, makeCatalog())])
        )
      )
    )
  )

/** The `month`-th reset: each is due a month after the one before. */
const monthlyReset = (database: OpenDatabase, month: number, memory: Array<number>) =>
  timed(async () => {
    const asOf = new Date()
    asOf.setUTCMonth(asOf.getUTCMonth() + month)
    const report = await resetAll(
      database,
      asOf.getTime(),
      () => void memory.push(process.memoryUsage().rss / MEBIBYTE)
    )
    return report.resetCount
  })

const line = (name: string, value: string) => console.log(`${name.padEnd(44)}${value}`)

const verdict = (text: string, value: number, most: number, unit: string): void => {
  if (!(value <= most)) process.exitCode = 1
  console.log(
    `${value <= most ? "met   " : "MISSED"} ${text.padEnd(44)} ${value.toFixed(2)}${unit} (goal ${most.toFixed(2)}${unit})`
  )
}

/** Every balance is what its transactions say, and every account was granted once a month. */
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
  const memory: Array<number> = []
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) await makeBareDue(admin)
    bare.push(await timed(() => runBareReset(admin)))
    await admin.query("VACUUM (ANALYZE) parley.credit_accounts, parley.credit_transactions, parley.credit_keys")
    ours.push(await monthlyReset(database, round, memory))
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
  const early = Math.max(...memory.slice(0, memory.length / 4))
  const late = Math.max(...memory.slice(-memory.length / 4))
  line("memory, first and last quarter, MiB", `${early.toFixed(0)}, ${late.toFixed(0)}`)
  verdict("reset / bare statement", secondsOf(ours) / secondsOf(bare), 2, "")
  verdict("memory, last quarter / first", late / early, 1.25, "")
}

const measureTraffic = async (admin: pg.Client, database: OpenDatabase): Promise<void> => {
  await waitUntilQuiet(patienceMs)
  const quiet = startReserveTraffic(database.ledger, userOf, accounts)
  await sleep(QUIET_MS)
  const before = await quiet.stop()
  await admin.query("VACUUM (ANALYZE) parley.credit_accounts")
  await waitUntilQuiet(patienceMs)
  const beside = startReserveTraffic(database.ledger, userOf, accounts)
  const { seconds, count } = await monthlyReset(database, rounds, [])
  const during = await beside.stop()
  if (count !== accounts) throw new Error(`${count} of ${accounts} accounts were reset beside the replies.`)
  await check(admin, rounds + 1)
  const told = (values: ReadonlyArray<number>) =>
    `${quantile(values, 0.5).toFixed(1)}, ${quantile(values, 0.99).toFixed(1)}, ${Math.max(...values).toFixed(1)} (${values.length})`
  line("reserves alone: p50, p99, max ms (count)", told(before))
  line(`reserves beside a reset of ${seconds.toFixed(0)} s`, told(during))
  verdict("reserves beside it, p99", quantile(during, 0.99), Math.max(50, 5 * quantile(before, 0.99)), " ms")
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
