import { Deferred, Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../processes/ParleyProcess.ts"
import { HeldModel } from "./HeldModel.ts"
import { raceServers } from "./raceServers.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

const SERVERS = 3
const PRICE = 10
const MANY = 1_000_000
const DAY = 2_000

/** The shipped shares of a day; no limit of rates applies. */
const config = {
  tiers: { free: { monthlyCredits: MANY, abandonedTriesPerMinute: MANY } },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } },
  widget: {
    ...{ perIpPerMinute: MANY, streamsPerIp: MANY, perConversationPerMinute: MANY },
    ...{ perBotPerMinute: MANY, streamsPerBot: MANY, ownerDailyCredits: DAY }
  }
}

interface Answer {
  readonly status: number
  readonly code: string | undefined
}

describe.skipIf(url === "")(`visitors of one owner's bots, over ${SERVERS} servers on Postgres`, () => {
  const model = new HeldModel()
  const serverOf = raceServers(url, "shares", SERVERS, model, config)

  const letAllAnswer = () => Deferred.doneUnsafe(model.answer, Effect.void)
  afterEach(letAllAnswer)

  const newBots = async (owner: string, count: number) => {
    model.answer = Deferred.makeUnsafe<void>()
    const { bots } = serverOf(0).parley
    const created = Array.from({ length: count }, () => bots.create(owner, { displayName: "Ada" }))
    return (await Promise.all(created)).map(({ keys }) => keys[0]?.publicKey ?? "")
  }

  const send = (publicKey: string, address: string, index: number, signal: AbortSignal | null = null) =>
    fetch(`${serverOf(index).url}/api/widget/chat`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify({ publicKey, visitorId: `visitor-${index}`, message: "May I?" }),
      signal
    })
  const ask = async (publicKey: string, address: string, index = 0): Promise<Answer> => {
    const response = await send(publicKey, address, index)
    const text = await response.text()
    const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") === true
    return { status: response.status, code: isProblem ? (JSON.parse(text) as { code: string }).code : undefined }
  }
  /** The answers to requests that are all open at the same time: replies are written once each request was decided. */
  const askTogether = async (count: number, one: (index: number) => Promise<Answer>) => {
    model.asked = 0
    let refused = 0
    const asking = Array.from({ length: count }, async (_, index) => {
      const answer = await one(index)
      if (answer.status !== 200) refused += 1
      return answer
    })
    await expect.poll(() => model.asked + refused, { timeout: 60_000 }).toBe(count)
    letAllAnswer()
    return Object.fromEntries(
      Array.from(
        Map.groupBy(await Promise.all(asking), ({ code, status }) => code ?? String(status)),
        ([name, answers]) => [name, answers.length]
      )
    )
  }

  it("of 120 requests of one address at once, a tenth of the day is answered, and other visitors of each bot still are", async () => {
    const bots = await newBots("ann@example.com", 2)
    const answers = await askTogether(120, (index) => ask(bots[index % 2] ?? "", "192.0.2.1", index))
    expect(answers).toEqual({ 200: DAY / 10 / PRICE, visitor_day_used_up: 120 - DAY / 10 / PRICE })
    for (const bot of bots) {
      expect(await ask(bot, "192.0.2.1")).toEqual({ status: 429, code: "visitor_day_used_up" })
      expect(await ask(bot, "192.0.2.2")).toEqual({ status: 200, code: undefined })
    }
  })

  it("of as many addresses as there are requests, one bot answers half of the day, and the owner's other bot goes on", async () => {
    const [busy = "", quiet = ""] = await newBots("ben@example.com", 2)
    const answers = await askTogether(120, (index) => ask(busy, `192.0.2.${index}`, index))
    expect(answers).toEqual({ 200: DAY / 2 / PRICE, bot_resting: 120 - DAY / 2 / PRICE })
    expect(await ask(quiet, "192.0.2.1")).toEqual({ status: 200, code: undefined })
  })

  it("a request that leaves before its reply returns its share", async () => {
    const owner = "cas@example.com"
    const [bot = ""] = await newBots(owner, 1)
    model.asked = 0
    const leaving = new AbortController()
    const most = DAY / 2 / 10 / PRICE
    const left = Array.from({ length: most }, (_, index) =>
      send(bot, "192.0.2.1", index, leaving.signal).catch(() => undefined)
    )
    await expect.poll(() => model.asked).toBe(most)
    expect(await ask(bot, "192.0.2.1")).toEqual({ status: 429, code: "visitor_day_used_up" })
    leaving.abort()
    await Promise.all(left)
    await expect.poll(() => serverOf(0).parley.credits.balance(owner)).toMatchObject({ held: 0, available: MANY })
    letAllAnswer()
    const answered = await eventually("the share to be returned", async () => {
      const answer = await ask(bot, "192.0.2.1")
      return answer.status === 200 ? answer : undefined
    })
    expect(answered).toEqual({ status: 200, code: undefined })
  })
})
