import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { eventually } from "../processes/ParleyProcess.ts"
import { Visitor } from "../processes/RunningServer.ts"
import { CrashRig, hasPostgres, serverUrl } from "./CrashRig.ts"
import { SilentWay } from "../../../bench/src/attack/SilentWay.ts"
import { SilentVendor } from "./SilentVendor.ts"

const PEOPLE = 4
/** Far more than an answer at once takes on a busy machine, and far less than a silent dependency is waited for. */
const AT_ONCE_MS = 5_000
const timeout = 300_000

interface Answered {
  readonly status: number
  readonly retryAfter: string | null
  readonly took: number
}

const timed = async (asking: Promise<Response>): Promise<Answered> => {
  const began = performance.now()
  const answer = await asking
  await answer.arrayBuffer()
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), took: performance.now() - began }
}

const isRefusedAtOnce = ({ retryAfter, status, took }: Answered): boolean =>
  status === 500 && retryAfter !== null && took < AT_ONCE_MS

const signedIn = async (url: string): Promise<ReadonlyArray<Visitor>> => {
  const people = Array.from({ length: PEOPLE }, () => new Visitor(url))
  await Promise.all(people.map((person, index) => person.signIn(`person-${index}@example.org`)))
  return people
}

const chat = (person: Visitor) => person.post("/api/chat", { messages: [{ role: "user", content: "Hello?" }] })

/** Asks until a request is refused at once, then repeats all of them. From then on no request may wait. */
const refusals = async (
  people: ReadonlyArray<Visitor>,
  ask: (person: Visitor) => Promise<Response>
): Promise<ReadonlyArray<Answered>> => {
  await eventually("a request to be refused at once", async () => {
    const answers = await Promise.all(people.map((person) => timed(ask(person))))
    return answers.every(isRefusedAtOnce) ? true : undefined
  })
  const answers: Array<Answered> = []
  for (let round = 0; round < 15; round++) {
    answers.push(...(await Promise.all(people.map((person) => timed(ask(person))))))
    await sleep(200)
  }
  return answers
}

/** All holds have ended, and the ledger is right. */
const isWhole = async (rig: CrashRig) => {
  await eventually("all holds to end", async () => ((await rig.leftHolds()).length === 0 ? true : undefined))
  expect(await rig.differences()).toEqual([])
}

const tell = (answers: ReadonlyArray<Answered>): string => {
  const took = answers.map((answer) => answer.took).toSorted((a, b) => a - b)
  return `p50 ${took[took.length >> 1]?.toFixed(0)} ms, longest ${took.at(-1)?.toFixed(0)} ms of ${took.length}`
}

describe.runIf(hasPostgres)("a server whose", () => {
  it(
    "database has been silent for 20 seconds refuses what needs it at once, until it answers again",
    { timeout },
    async ({ annotate }) => {
      await using rig = new CrashRig()
      await using database = await SilentWay.to(serverUrl)
      await using server = await rig.start({ port: database.port })
      const people = await signedIn(server.url)
      const chats = await Promise.all(people.map((person) => timed(chat(person))))
      expect(chats.map(({ status }) => status)).toEqual(people.map(() => 200))
      database.fallSilent()
      // Requests that need the database first, and requests that have held credits by then.
      void Promise.allSettled(people.map(chat))
      const answers = await refusals(people, (person) => person.get("/api/chats"))
      await annotate(tell(answers))
      expect(answers.filter((answer) => !isRefusedAtOnce(answer))).toEqual([])
      expect(await timed(fetch(`${server.url}/healthz`))).toMatchObject({ status: 200 })
      expect(await timed(fetch(`${server.url}/readyz`))).toMatchObject({ status: 503 })
      database.speakAgain()
      await eventually("the server to answer again", async () => {
        const all = await Promise.all(people.map((person) => timed(chat(person))))
        return all.every(({ status }) => status === 200) ? true : undefined
      })
      await isWhole(rig)
    }
  )

  it(
    "vendor has been silent for 20 seconds refuses what needs it at once, and serves the rest; no hold is left",
    { timeout },
    async ({ annotate }) => {
      await using vendor = await SilentVendor.start()
      await using rig = new CrashRig()
      await using server = await rig.start({
        more: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: vendor.url, PARLEY_FIRST_BYTE_SECONDS: "5" }
      })
      const people = await signedIn(server.url)
      expect((await Promise.all(people.map((person) => timed(chat(person))))).map(({ status }) => status)).toEqual(
        people.map(() => 200)
      )
      vendor.isSilent = true
      const answers = await refusals(people, chat)
      await annotate(tell(answers))
      expect(answers.filter((answer) => !isRefusedAtOnce(answer))).toEqual([])
      const others = await Promise.all(people.map((person) => timed(person.get("/api/chats"))))
      expect(others.map(({ status }) => status)).toEqual(people.map(() => 200))
      await isWhole(rig)
      vendor.isSilent = false
      await eventually("the vendor to be asked again", async () => {
        const all = await Promise.all(people.map((person) => timed(chat(person))))
        return all.every(({ status }) => status === 200) ? true : undefined
      })
      await isWhole(rig)
    }
  )
})
