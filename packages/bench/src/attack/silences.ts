import { ServerProcess } from "../chat/ServerProcess.ts"
import { quantile } from "../measuring/statistics.ts"
import { createTemporaryDatabase } from "../measuring/temporaryDatabase.ts"
import { lineOf, live, load, meetsGoals, ms, type OtherPeople, pause } from "./otherPeople.ts"
import { makeAgent, postJson, type Received, request, signIn } from "./request.ts"
import { SilentWay } from "./SilentWay.ts"

/** The longest acceptable time, in milliseconds, for refusing a request while a dependency counts as down. */
const REFUSED_WITHIN = 1_000
/**
 * The longest acceptable time until a dependency counts as down. The server decides that after 20 seconds of silence.
 */
const DOWN_WITHIN = 60_000
const BACK_WITHIN = 60_000
const PEOPLE = 4
const PAUSE_MS = 50

type Agent = ReturnType<typeof makeAgent>
/** Sends a request, and aborts it after `patienceMs` milliseconds. */
type Ask = (agent: Agent, url: string, cookie: string, patienceMs: number) => Promise<Received>

/** A dependency that falls silent. */
export interface Silence {
  readonly name: string
  /** Runs `play` with a proxy to the dependency, and the environment variables that make a server use the proxy. */
  readonly stage: (
    play: (way: SilentWay, environment: Readonly<Record<string, string>>) => Promise<boolean>
  ) => Promise<boolean>
  /** A request that needs the dependency. */
  readonly ask: Ask
  /** Paths that do not need the dependency. */
  readonly others: ReadonlyArray<string>
}

const silentDatabase: Silence = {
  name: "a database that falls silent",
  stage: async (play) => {
    const database = await createTemporaryDatabase()
    try {
      await using way = await SilentWay.to(database.url)
      return await play(way, { DATABASE_URL: way.url })
    } finally {
      await database.drop()
    }
  },
  ask: (agent, url, cookie, patienceMs) => request(agent, { url, cookie, path: "/api/chats", patienceMs }),
  others: ["/healthz", "/openapi.json", "/widget.js"]
}

const silentVendor: Silence = {
  name: "a vendor of models that falls silent",
  stage: async (play) => {
    await using vendor = await ServerProcess.start(new URL("../chat/fakeVendor.ts", import.meta.url), [], {})
    await using way = await SilentWay.to(vendor.url)
    return await play(way, { OPENAI_API_KEY: "sk-attack", OPENAI_BASE_URL: `${way.url}v1` })
  },
  ask: (agent, url, cookie, patienceMs) =>
    postJson(agent, url, cookie, "/api/chat", { messages: [{ role: "user", content: "Hello?" }] }, patienceMs),
  others: ["/api/chat", "/api/billing/balance", "/api/chats"]
}

/** The silences that can be played on this machine. The silent database needs `TEST_DATABASE_URL`. */
export const silences: ReadonlyArray<Silence> = [silentDatabase, silentVendor]

interface Asked {
  readonly status: number
  readonly hasRetryAfter: boolean
  readonly took: number
}

const isRefusedAtOnce = ({ hasRetryAfter, status, took }: Asked): boolean =>
  status === 500 && hasRetryAfter && took < REFUSED_WITHIN

/** Sends one request; if no response arrives, the status is 0. */
const askOnce = async ({ ask }: Silence, agent: Agent, url: string, cookie: string, patienceMs = DOWN_WITHIN) => {
  const began = performance.now()
  const answer = await ask(agent, url, cookie, patienceMs).catch(() => undefined)
  const hasRetryAfter = answer?.headers["retry-after"] !== undefined
  return { status: answer?.status ?? 0, hasRetryAfter, took: performance.now() - began } satisfies Asked
}

/** Lets every person repeat the request until `isOver` returns true; returns all responses. */
const askUntil = async (
  silence: Silence,
  { cookies, url }: OtherPeople,
  isOver: (last: Asked | undefined) => boolean
): Promise<ReadonlyArray<Asked>> => {
  const all: Array<Asked> = []
  const person = async (cookie: string) => {
    const agent = makeAgent()
    while (!isOver(all.at(-1))) {
      all.push(await askOnce(silence, agent, url, cookie))
      await pause(PAUSE_MS)
    }
    agent.destroy()
  }
  await Promise.all(cookies.map(person))
  return all
}

/**
 * Waits until the server refuses new requests at once. Meanwhile every person waits for a response, and a further
 * request is sent each second and aborted within that second. Returns the time until the refusal, and the longest wait
 * of a person.
 */
const untilDown = async (silence: Silence, people: OtherPeople) => {
  const { cookies, url } = people
  const began = performance.now()
  let downAt: number | undefined
  const isOver = () => downAt !== undefined || performance.now() - began > DOWN_WITHIN
  const waiting = askUntil(silence, people, isOver)
  const agent = makeAgent()
  for (let index = 0; !isOver(); index += 1) {
    const from = performance.now()
    const tried = await askOnce(silence, agent, url, cookies[index % cookies.length] ?? "", REFUSED_WITHIN)
    if (isRefusedAtOnce(tried)) downAt = performance.now()
    await pause(Math.max(0, from + REFUSED_WITHIN - performance.now()))
  }
  agent.destroy()
  const waited = Math.max(...(await waiting).map(({ took }) => took))
  return { after: downAt === undefined ? undefined : downAt - began, waited }
}

const seconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? "never" : `${(milliseconds / 1_000).toFixed(1)} s`

/** Plays one silence on a new server; returns true if all goals are met. */
export const playSilence = (
  silence: Silence,
  environment: Readonly<Record<string, string>>,
  milliseconds: number
): Promise<boolean> =>
  silence.stage(async (way, more) => {
    const program = new URL("../../../cli/src/main.ts", import.meta.url)
    await using server = await ServerProcess.start(program, ["serve"], { ...environment, ...more })
    const agent = makeAgent()
    const cookies = await Promise.all(
      Array.from({ length: PEOPLE }, (_, person) => signIn(agent, server.url, `silence-${person}@example.org`))
    )
    await Promise.all(cookies.map((cookie) => askOnce(silence, agent, server.url, cookie)))
    agent.destroy()
    const people: OtherPeople = { url: server.url, cookies, paths: silence.others, uploads: false }
    await live(people, 1_000)
    console.log(`${silence.name}\n${lineOf("before", await live(people, milliseconds))}`)
    way.fallSilent()
    const [{ after, waited }, meanwhile] = await Promise.all([untilDown(silence, people), live(people, 15_000)])
    console.log(
      `${lineOf("waiting", meanwhile)}\n  down after ${seconds(after)}; the longest request in the silence: ${seconds(waited)}`
    )
    const until = performance.now() + milliseconds
    const [refused, felt] = await Promise.all([
      askUntil(silence, people, () => performance.now() > until),
      live(people, milliseconds)
    ])
    const took = refused.map((asked) => asked.took)
    const isRefused = after !== undefined && refused.every(isRefusedAtOnce)
    console.log(
      `  refused p50 ${ms(quantile(took, 0.5))}   longest ${ms(Math.max(...took))}   500 with Retry-After: ${refused.filter(isRefusedAtOnce).length} of ${refused.length}   ${isRefused ? "ok" : "MISSED"}`
    )
    const isMet = meetsGoals(felt)
    console.log(`${lineOf("others", felt)}   ${isMet ? "ok" : "MISSED"}   ${load()}`)
    way.speakAgain()
    const back = performance.now()
    let answeredAt: number | undefined
    await askUntil(silence, people, (last) => {
      if (last?.status === 200) answeredAt ??= performance.now()
      return answeredAt !== undefined || performance.now() - back > BACK_WITHIN
    })
    console.log(`  answered again after ${seconds(answeredAt === undefined ? undefined : answeredAt - back)}`)
    return isRefused && isMet && answeredAt !== undefined
  })
