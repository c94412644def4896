import { Effect } from "effect"
import pg from "pg"
import { reserveAndSettle, userOf } from "../credits/parleyLedger.ts"
import { quantile, shuffled } from "../measuring/statistics.ts"
import { cellOfAccount, type Contender, type Contenders, drive, everyone } from "./contenders.ts"

const CELLS = 4
const AWAY = CELLS - 1
const ROUND_MS = 2_000
/** The p99 of the others may be this many times the p99 beside four cells that answer. */
const MOST = 1.1

const present = everyone.filter((account) => cellOfAccount(account, CELLS) !== AWAY)
const absent = everyone.filter((account) => cellOfAccount(account, CELLS) === AWAY)

/** Closes or opens a database to connections; closing ends those that are there. */
const setOpen = async (url: string, isOpen: boolean): Promise<void> => {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = "/postgres"
  const client = new pg.Client({ connectionString: server.href })
  await client.connect()
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isOpen}`)
  if (!isOpen) await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name])
  await client.end()
}

/** A pair of somebody whose cell is away; "answered", or the name of the failed cell. */
const askAbsent = ({ stores }: Contender): Promise<string> => {
  const pair = reserveAndSettle(stores.ledger, userOf(absent[Math.floor(Math.random() * absent.length)] ?? 0))
  return Effect.runPromise(
    Effect.match(pair, {
      onFailure: (error) => (error as { readonly cell?: string }).cell ?? "no cell",
      onSuccess: () => "answered"
    })
  )
}

/**
 * Drives the people of three cells, beside a fourth one that is away for some minutes and people of it who go on asking; in
 * turns with the same people beside four cells that answer. Prints the p99 of both, and the time after which the cell serves
 * again without a hand. Returns whether the goal is met.
 */
export const measureAway = async (contenders: Contenders, minutes: number): Promise<boolean> => {
  const all = [await contenders.overCells("four cells", CELLS), await contenders.overCells("one of four away", CELLS)]
  const [whole, torn] = all as [Contender, Contender]
  const url = torn.urls[AWAY] ?? ""
  await torn.admins[AWAY]?.end()
  torn.admins.splice(AWAY, 1)
  for (const one of all) await drive(one, ROUND_MS, present)
  await setOpen(url, false)
  const answers = new Map<string, number>()
  let isAway = true
  const asking = setInterval(() => {
    void askAbsent(torn).then((answer) => isAway && answers.set(answer, (answers.get(answer) ?? 0) + 1))
  }, 100)
  const until = performance.now() + minutes * 60_000
  while (performance.now() < until)
    for (const one of shuffled(all)) one.latencies.push(...(await drive(one, ROUND_MS, present)))
  clearInterval(asking)
  isAway = false
  await setOpen(url, true)
  const opened = performance.now()
  while ((await askAbsent(torn)) !== "answered");
  const backMs = performance.now() - opened
  for (const { latencies, name } of all) {
    const [p50, p99] = [0.5, 0.99].map((share) => quantile(latencies, share).toFixed(1))
    console.log(`${name.padEnd(20)} ${latencies.length} pairs, p50 ${p50} ms, p99 ${p99} ms`)
  }
  const refused = [...answers].map(([answer, count]) => `${answer}: ${count}`).join(", ")
  console.log(
    `people of the absent cell were answered with ${refused}; served again ${backMs.toFixed(0)} ms after its return`
  )
  const ratio = quantile(torn.latencies, 0.99) / quantile(whole.latencies, 0.99)
  const isMet = ratio <= MOST && answers.size === 1 && answers.has(`cell-${AWAY}`)
  console.log(`${isMet ? "met   " : "MISSED"} p99 of the others, at most ${MOST} times: ${ratio.toFixed(3)}`)
  return isMet
}
