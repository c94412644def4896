/**
 * Compares the pairs of a reservation and a charge per second on a real Postgres: Parley's ledger and plain SQL, in one
 * run. `npm run bench:credits`, with TEST_DATABASE_URL; `-- --quick` for a short run. Exits with 1 if a goal is missed.
 */
import { parseArgs } from "node:util"
import pg from "pg"
import { makeCommitRate } from "./credits/commitRate.ts"
import type { Contender, Load } from "./credits/Contender.ts"
import { ACCOUNTS } from "./credits/Contender.ts"
import { creditsTable, rateOf, type Series } from "./credits/creditsTable.ts"
import { type Measure, measureRound } from "./credits/measureRound.ts"
import { makeParleyLedger } from "./credits/parleyLedger.ts"
import { makeSingleCall } from "./credits/singleCall.ts"
import { makeUsualPattern } from "./credits/usualPattern.ts"
import { machineFacts } from "./measuring/machineFacts.ts"
import { waitUntilQuiet } from "./measuring/quietMachine.ts"
import { shuffled } from "./measuring/statistics.ts"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    milliseconds: { type: "string" },
    callers: { type: "string", default: "64" },
    patience: { type: "string", default: "5" },
    only: { type: "string", default: "" }
  }
})
const rounds = Number(flags.rounds ?? (flags.quick ? 3 : 9))
const milliseconds = Number(flags.milliseconds ?? (flags.quick ? 1000 : 2000))
const callers = Number(flags.callers)
/** The longest time for which a measurement waits for other programs to become idle; then it runs beside them. */
const patienceMs = flags.quick ? 0 : Number(flags.patience) * 1000
const DISTURBING_CORES = 0.5
const ATTEMPTS = 4

const SPREAD: Load = { name: "spread", accounts: ACCOUNTS }
const ONE: Load = { name: "one", accounts: 1 }

const makeContenders = async (url: string, admin: pg.Client): Promise<ReadonlyArray<Contender>> => {
  const made = [
    await makeParleyLedger("parley", url, admin),
    await makeUsualPattern("(a) usual pattern", url, admin, callers),
    await makeSingleCall("(b) one statement", url, admin, "statement", callers),
    await makeSingleCall("(b) one function call", url, admin, "function", callers),
    await makeCommitRate("(c) pgbench, bare commits", url, admin)
  ].filter((contender) => contender !== undefined)
  if (!made.some(({ name }) => name.startsWith("(c)"))) console.log("pgbench is not installed: (c) is left out")
  return made.filter(({ name }) => name.includes(flags.only))
}

/**
 * Measures a round. If other programs were busy during it, repeats it a few times at most, independent of its result.
 */
const measureQuietly = async (admin: pg.Client, contender: Contender, load: Load): Promise<Measure> => {
  for (let attempt = 1; ; attempt += 1) {
    await waitUntilQuiet(patienceMs)
    const measure = await measureRound(admin, contender, load, callers, milliseconds)
    const disturbed = (measure.otherCores ?? 0) > DISTURBING_CORES
    if (!disturbed || patienceMs === 0 || attempt === ATTEMPTS) return measure
  }
}

const measureAll = async (admin: pg.Client, contenders: ReadonlyArray<Contender>): Promise<ReadonlyArray<Series>> => {
  const series = [SPREAD, ONE].flatMap((load) =>
    contenders.map((contender) => ({ contender, load, measures: [] as Array<Measure> }))
  )
  for (let round = 1; round <= rounds; round += 1) {
    for (const { contender, load, measures } of shuffled(series)) {
      measures.push(await measureQuietly(admin, contender, load))
      await contender.check()
    }
    process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  return series.map(({ contender, load, measures }) => ({ load: load.name, name: contender.name, measures }))
}

interface Goal {
  readonly text: string
  readonly least: number
  readonly ratio: number
}

const goals = (all: ReadonlyArray<Series>): ReadonlyArray<Goal> => {
  const best = (load: Load, prefix: string) =>
    Math.max(...all.filter((one) => one.load === load.name && one.name.startsWith(prefix)).map(rateOf))
  const [spread, one] = [best(SPREAD, "parley"), best(ONE, "parley")]
  return [
    { text: "spread: parley / (a)", least: 3, ratio: spread / best(SPREAD, "(a)") },
    { text: "spread: parley / (b)", least: 0.9, ratio: spread / best(SPREAD, "(b)") },
    { text: "one account: parley / (a)", least: 8, ratio: one / best(ONE, "(a)") },
    { text: "one account / spread, both parley", least: 0.5, ratio: one / spread }
  ].filter(({ ratio }) => Number.isFinite(ratio) && ratio > 0)
}

const report = (all: ReadonlyArray<Series>): void => {
  for (const load of [SPREAD, ONE]) {
    const ofLoad = all.filter((series) => series.load === load.name)
    const subject = ofLoad.find(({ name }) => name === "parley") ?? ofLoad[0]
    if (subject === undefined) continue
    const title = load === ONE ? "over one account" : `over ${ACCOUNTS} accounts`
    console.log(`\n${creditsTable(title, ofLoad, subject)}`)
  }
  console.log("")
  for (const { text, least, ratio } of goals(all)) {
    console.log(`${ratio >= least ? "met   " : "MISSED"} ${text.padEnd(36)} ${ratio.toFixed(2)} (goal ${least})`)
    if (ratio < least) process.exitCode = 1
  }
}

const temporary = await createTemporaryDatabase()
const admin = new pg.Client({ connectionString: temporary.url })
try {
  await admin.connect()
  const contenders = await makeContenders(temporary.url, admin)
  try {
    console.log(
      `${await machineFacts(admin)}\n${callers} callers, ${rounds} rounds of ${milliseconds} ms, random order`
    )
    report(await measureAll(admin, contenders))
  } finally {
    for (const contender of contenders) await contender.close()
  }
} finally {
  await admin.end()
  await temporary.drop()
}
