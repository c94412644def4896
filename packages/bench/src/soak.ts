/**
 * Runs an installation of its own under mixed load for a long time: two servers, a worker and Postgres, with faults of
 * the model vendor and of the database. At the end it compares memory, descriptors, connections, holds and jobs with
 * those at the start, and all answers with the stored rows. `npm run soak`, as root on Debian; `-- --minutes 2` for a
 * short run. Exits with 1 if something grows, is lost, or fails outside the faults.
 */
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import pg from "pg"
import { Faults } from "./soak/installation/Faults.ts"
import { type Trend, trendOf, trendTable } from "./soak/trendOf.ts"
import { Installation } from "./soak/installation/Installation.ts"
import { countRows, judgeAnswers, unfinished } from "./soak/judgeAnswers.ts"
import { runLoad } from "./soak/acts/runLoad.ts"
import { Outcomes } from "./soak/Outcomes.ts"
import { Sampler, sampleProcess } from "./soak/Sampler.ts"
import { Scene } from "./soak/acts/Scene.ts"
import { closeConnections } from "./soak/acts/send.ts"
import { Spool } from "./soak/Spool.ts"
import { Upkeep } from "./soak/Upkeep.ts"

const { values: flags } = parseArgs({ options: { minutes: { type: "string", default: "30" } } })
const durationMs = Number(flags.minutes) * 60_000
/** At most 50 minutes, because the sessions of the people end after an hour. */
if (!(durationMs >= 60_000 && durationMs <= 3_000_000)) throw new Error("--minutes: 1 to 50")
/**
 * The time without load before processes are measured. It is longer than the time for which connections to the vendor
 * are kept.
 */
const IDLE_MS = 10_000
/** The largest acceptable share of skipped acts. */
const SKIPPED_MOST = 0.05
/** The longest time for which work may continue after the load has ended. */
const QUIET_MS = 150_000
/**
 * The descriptors by which an idle server may have more at the end: its pool of connections, and a few connections to
 * the vendor.
 */
const IDLE_DESCRIPTORS = 30

const problems: Array<string> = []
const say = (line: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)

/** Waits until no work is left. Work that is left after the deadline is reported as a problem. */
const untilQuiet = async (pool: pg.Pool): Promise<void> => {
  const deadline = Date.now() + QUIET_MS
  for (;;) {
    const left = await unfinished(pool)
    if (left.length === 0) return
    if (Date.now() > deadline) return void problems.push(...left.map(([what, count]) => `left: ${count} ${what}`))
    await sleep(1_000)
  }
}

type Idle = Awaited<ReturnType<typeof idleFigures>>

/** Returns the quantities of each process without load. */
const idleFigures = (installation: Installation) =>
  Promise.all(installation.servers.map(async (each) => ({ name: each.name, ...(await sampleProcess(each)) })))

/** Checks the stored rows after all processes have stopped. `bytesBefore` is the size of the empty database. */
const judgeRows = async (pool: pg.Pool, spool: Spool, upkeep: Upkeep, bytesBefore: number): Promise<void> => {
  for (const [problem, count] of await judgeAnswers(pool, spool)) problems.push(`${count} x ${problem}`)
  const { bytes, orphans, purchases, replies, resets } = await countRows(pool)
  const { document, payment, reply, visit } = spool.counts
  if (orphans > 0) problems.push(`${orphans} charges without a stored reply`)
  if (purchases !== payment) problems.push(`${purchases} purchases of ${payment} payments`)
  if (resets !== upkeep.resets) problems.push(`${resets} begun periods of ${upkeep.resets} that the resets reported`)
  console.log(
    `compared with rows: ${reply} replies, ${visit} replies to visitors, ${document} documents, ${payment} payments`
  )
  console.log(
    `${replies} stored replies; bytes of the database a reply: ${Math.round((bytes - bytesBefore) / replies)}`
  )
}

/** Checks the trends during the run, and the processes without load. */
const judgeTrends = (trends: ReadonlyArray<Trend>, before: Idle, after: Idle): void => {
  console.log(trendTable(trends))
  for (const { isFlat, owner, quantity } of trends) if (isFlat === false) problems.push(`${owner}: ${quantity} grows`)
  for (const [index, { descriptors = Number.NaN, name, ...rest }] of after.entries()) {
    const first = before[index]?.descriptors ?? Number.NaN
    console.log(`${name} without load: ${first} descriptors before, ${descriptors} after`)
    if (!(descriptors <= first + IDLE_DESCRIPTORS)) problems.push(`${name}: descriptors stay open`)
    if (rest["replies running"] !== 0) problems.push(`${name}: ${rest["replies running"]} replies run on`)
  }
}

const soak = async (installation: Installation, pool: pg.Pool): Promise<void> => {
  const faults = new Faults(installation.vendor, installation.postgres, durationMs)
  const outcomes = new Outcomes(faults)
  const spool = new Spool(join(installation.folder, "answers.jsonl"))
  const scene = new Scene(installation, outcomes, spool)
  const sampler = new Sampler(installation.servers, pool)
  const upkeep = new Upkeep(installation, faults, outcomes, durationMs)
  const idleBefore = await idleFigures(installation)
  const { bytes: bytesBefore } = await countRows(pool)
  const from = Date.now()
  const sampling = sampler.run()
  const [skipped] = await Promise.all([runLoad(scene, durationMs), faults.play(say), upkeep.run()])
  const to = Date.now()
  await sampling.stop()
  say("the load has ended")
  closeConnections()
  await untilQuiet(pool)
  await upkeep.verify()
  await sleep(IDLE_MS)
  const idleAfter = await idleFigures(installation)
  await judgeRows(pool, spool, upkeep, bytesBefore)
  judgeTrends(
    sampler.series.map((series) => trendOf(series, from, to)),
    idleBefore,
    idleAfter
  )
  console.log(`${upkeep.report()}\n${outcomes.report()}`)
  console.log(`skipped acts, because too many ran: ${(skipped * 100).toFixed(1)} %`)
  if (skipped > SKIPPED_MOST) problems.push("the load was not reached: this machine is too slow, or the servers are")
  if (outcomes.hasFailures) problems.push("unexpected responses")
}

const installation = await Installation.start()
const pool = new pg.Pool({ connectionString: installation.postgres.url, max: 2, application_name: "soak" })
pool.on("error", () => undefined)
const giveUp = () => void installation[Symbol.asyncDispose]().finally(() => process.exit(1))
process.once("SIGINT", giveUp).once("SIGTERM", giveUp)
try {
  say(`soaking for ${flags.minutes} minutes; logs: ${installation.folder}`)
  await soak(installation, pool)
  const ends = await installation.stop()
  if (ends.some((end) => end !== 0)) problems.push(`the processes ended with ${ends.join(", ")}`)
} finally {
  await pool.end()
  await installation[Symbol.asyncDispose]()
}
for (const problem of problems) console.log(`FAILED: ${problem}`)
if (problems.length === 0) installation.removeFolder()
else process.exitCode = 1
console.log(problems.length === 0 ? "passed" : `failed; logs: ${installation.folder}`)
