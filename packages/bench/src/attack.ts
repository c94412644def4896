/**
 * Attacks a server as one hostile person on the free tier, makes a dependency fall silent, and prints the response
 * times of other people before, during and after. `npm run attack` starts servers of its own; `-- --url
 * http://127.0.0.1:3000` attacks a running server on this machine that has the development sign-in, but plays no
 * silences. `--seconds` is the length of each attack. Playing a silent database needs TEST_DATABASE_URL. Connections
 * and time are limited; an attacked server keeps a few chats and documents. Exits with 1 if the other people wait
 * longer than the goals.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Attack, attacks } from "./attack/attackers.ts"
import { GOALS, lineOf, live, load, meetsGoals, type OtherPeople, pause } from "./attack/otherPeople.ts"
import { makeAgent, signIn } from "./attack/request.ts"
import { playSilence, silences } from "./attack/silences.ts"
import { ServerProcess } from "./chat/ServerProcess.ts"

const { values: flags } = parseArgs({
  options: { url: { type: "string" }, seconds: { type: "string", default: "10" }, only: { type: "string" } }
})
const milliseconds = Math.min(60, Math.max(1, Number(flags.seconds))) * 1_000
const PEOPLE = 4
/** The pause between two attacks, so that the after-effects of one are not measured as the beginning of the next. */
const AFTER_MS = 4_000
/** The paths that ordinary people read. */
const PATHS = ["/api/chat", "/api/billing/balance", "/api/chats"]

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

const play = async (url: string, attack: Attack, index: number, run: string): Promise<boolean> => {
  const agent = makeAgent()
  const cookies = await Promise.all(
    Array.from({ length: PEOPLE }, (_, person) => signIn(agent, url, `other-${person}-${index}-${run}@example.org`))
  )
  const cookie = await signIn(agent, url, `attacker-${index}-${run}@example.org`)
  agent.destroy()
  const people: OtherPeople = { url, cookies, paths: PATHS, uploads: true }
  await live(people, 1_000)
  const before = await live(people, milliseconds)
  const end = await begin(index, { url, cookie })
  const during = await live(people, milliseconds)
  await end()
  const after = await live(people, AFTER_MS)
  const isMet = meetsGoals(during)
  console.log(
    `${attack.name}\n${lineOf("before", before)}\n${lineOf("during", during)}   ${isMet ? "ok" : "MISSED"}   ${load()}\n${lineOf("after", after)}`
  )
  return isMet
}

const isChosen = (index: number) => flags.only === undefined || Number(flags.only) === index

const playAll = async (url: string): Promise<void> => {
  const run = Date.now().toString(36)
  for (const [index, attack] of attacks.entries()) {
    if (isChosen(index) && !(await play(url, attack, index, run))) process.exitCode = 1
  }
}

const withFolder = async (use: (environment: Readonly<Record<string, string>>) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-attack-"))
  try {
    await use({ PARLEY_DATA_DIR: folder, PORT: "0", LOG_LEVEL: "error" })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (flags.url === undefined) {
  console.log(`Goals for others: p50 under ${GOALS.median} ms, p99 under ${GOALS.p99} ms, nothing failed.`)
  if (attacks.some((_, index) => isChosen(index))) {
    await withFolder(async (environment) => {
      const program = new URL("../../cli/src/main.ts", import.meta.url)
      await using server = await ServerProcess.start(program, ["serve"], environment)
      await playAll(server.url)
    })
  }
  for (const [index, silence] of silences.entries()) {
    if (!isChosen(attacks.length + index)) continue
    await withFolder(async (environment) => {
      if (!(await playSilence(silence, environment, milliseconds))) process.exitCode = 1
    })
  }
} else {
  if (!/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/?$/.test(flags.url))
    throw new Error("Only a server on this machine is attacked.")
  await playAll(flags.url.replace(/\/$/, ""))
}
