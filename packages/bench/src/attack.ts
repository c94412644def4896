/**
 * Attacks a server as one hostile free person, and prints the response times of other people before, during and after
 * each attack. `npm run attack` starts a server of its own on the embedded database; `-- --url http://127.0.0.1:3000`
 * attacks a running one on this machine that has the development sign-in. `--seconds` is the length of each attack.
 * Connections and time are bounded; it leaves a few chats and documents behind. Exits with 1 if the other people wait
 * longer than the goals.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Attack, attacks } from "./attack/attackers.ts"
import { formOf, makeAgent, request, signIn } from "./attack/request.ts"
import { ServerProcess } from "./chat/ServerProcess.ts"
import { quantile } from "./measuring/statistics.ts"

const { values: flags } = parseArgs({
  options: { url: { type: "string" }, seconds: { type: "string", default: "10" }, only: { type: "string" } }
})
const milliseconds = Math.min(60, Math.max(1, Number(flags.seconds))) * 1_000
const GOALS = { median: 20, p99: 200 }
const PEOPLE = 4
const PAUSE_MS = 20
/** Separates the after-effects of one attack from the beginning of the next. */
const AFTER_MS = 4_000

interface Felt {
  readonly light: Array<number>
  readonly uploads: Array<number>
  failures: number
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The ordinary people's actions: they read their balance and chats, and upload a little. */
const live = async (url: string, cookies: ReadonlyArray<string>, forMs: number): Promise<Felt> => {
  const felt: Felt = { light: [], uploads: [], failures: 0 }
  const until = performance.now() + forMs
  const person = async (cookie: string, index: number) => {
    const agent = makeAgent()
    const { body, type } = formOf("note.txt", Buffer.alloc(64 * 1024, "a small note "))
    for (let round = 0; performance.now() < until; round++) {
      for (const path of ["/api/chat", "/api/billing/balance", "/api/chats"]) {
        const answer = await request(agent, { url, cookie, path }).catch(() => undefined)
        if (answer?.status === 200) felt.light.push(answer.milliseconds)
        else felt.failures += 1
        await pause(PAUSE_MS)
      }
      if (index > 0 || round % 10 !== 0) continue
      const answer = await request(agent, { url, cookie, method: "POST", path: "/api/upload", type, body }).catch(
        () => undefined
      )
      // A person's quota of documents may be used up; only the response time counts.
      if (answer?.status === 200 || answer?.status === 403) felt.uploads.push(answer.milliseconds)
      else felt.failures += 1
    }
    agent.destroy()
  }
  await Promise.all(cookies.map(person))
  return felt
}

const begin = async (index: number, attacker: { readonly url: string; readonly cookie: string }) => {
  const child = fork(new URL("./attack/attackerProcess.ts", import.meta.url))
  const exited = once(child, "exit")
  child.send({ index, attacker })
  await Promise.race([once(child, "message"), exited])
  if (child.exitCode !== null) throw new Error("The attacker ended before it began.")
  return async () => {
    child.send("end")
    await Promise.race([exited, pause(500)])
    child.kill("SIGKILL")
    await exited
  }
}

/** Figures of a busy machine say little: how many programs want its processors, the server's and the attacker's included. */
const load = () => `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`

const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(10)
const line = (name: string, { failures, light, uploads }: Felt) =>
  `  ${name.padEnd(8)}p50 ${ms(quantile(light, 0.5))}   p99 ${ms(quantile(light, 0.99))}   uploads p50 ${ms(quantile(uploads, 0.5))}   failed ${failures} of ${light.length + uploads.length + failures}`

const play = async (url: string, attack: Attack, index: number, run: string): Promise<boolean> => {
  const agent = makeAgent()
  const cookies = await Promise.all(
    Array.from({ length: PEOPLE }, (_, person) => signIn(agent, url, `other-${person}-${index}-${run}@example.org`))
  )
  const cookie = await signIn(agent, url, `attacker-${index}-${run}@example.org`)
  agent.destroy()
  await live(url, cookies, 1_000)
  const before = await live(url, cookies, milliseconds)
  const end = await begin(index, { url, cookie })
  const during = await live(url, cookies, milliseconds)
  await end()
  const after = await live(url, cookies, AFTER_MS)
  const median = quantile(during.light, 0.5)
  const isMet = median < GOALS.median && quantile(during.light, 0.99) < GOALS.p99 && during.failures === 0
  console.log(
    `${attack.name}\n${line("before", before)}\n${line("during", during)}   ${isMet ? "ok" : "MISSED"}   ${load()}\n${line("after", after)}`
  )
  return isMet
}

const playAll = async (url: string): Promise<void> => {
  const run = Date.now().toString(36)
  for (const [index, attack] of attacks.entries()) {
    if (flags.only !== undefined && Number(flags.only) !== index) continue
    if (!(await play(url, attack, index, run))) process.exitCode = 1
  }
}

if (flags.url === undefined) {
  const folder = await mkdtemp(join(tmpdir(), "parley-attack-"))
  try {
    const environment = { PARLEY_DATA_DIR: folder, PORT: "0", LOG_LEVEL: "error" }
    await using server = await ServerProcess.start(
      new URL("../../cli/src/main.ts", import.meta.url),
      ["serve"],
      environment
    )
    console.log(`Goals for others: p50 under ${GOALS.median} ms, p99 under ${GOALS.p99} ms, nothing failed.`)
    await playAll(server.url)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
} else {
  if (!/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/?$/.test(flags.url))
    throw new Error("Only a server on this machine is attacked.")
  await playAll(flags.url.replace(/\/$/, ""))
}
