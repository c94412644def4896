import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HeldModel } from "./HeldModel.ts"
import { raceServers } from "./raceServers.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

const SERVERS = 3
const CONVERSATIONS = 40
const PRICE = 10
const MANY = 1_000_000

/** No limit of rates applies. */
const config = {
  tiers: { free: { monthlyCredits: MANY } },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } },
  widget: {
    ...{ perIpPerMinute: MANY, streamsPerIp: MANY, perConversationPerMinute: MANY, perBotPerMinute: MANY },
    ...{ streamsPerBot: MANY, ownerDailyCredits: MANY, botDailyPercent: 100, addressDailyPercent: 100 }
  }
}

describe.skipIf(url === "")(`visitors and the owner who takes over, over ${SERVERS} servers on Postgres`, () => {
  const model = new HeldModel()
  const serverOf = raceServers(url, "handovers", SERVERS, model, config)

  const post = async (index: number, body: object) => {
    const response = await fetch(`${serverOf(index).url}/api/widget/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const { headers, status } = response
    const text = await response.text()
    return { status, text, id: headers.get("x-conversation-id") ?? "", by: headers.get("x-answered-by") }
  }

  it("either the bot answers a message and is charged, or the message waits for a person: never both, and never lost", async () => {
    const owner = "desk@example.com"
    const { conversations, bots, credits } = serverOf(0).parley
    const { id: botId, keys } = await bots.create(owner, { displayName: "Ada", handOver: true })
    const publicKey = keys[0]?.publicKey ?? ""
    model.answer = Deferred.makeUnsafe<void>()
    Deferred.doneUnsafe(model.answer, Effect.void)
    const begun = await Promise.all(
      Array.from({ length: CONVERSATIONS }, async (_, index) => {
        const visitorId = `visitor-${index}`
        return { visitorId, ...(await post(index, { publicKey, visitorId, message: "Hi" })) }
      })
    )
    const raced = await Promise.all(
      begun.map(async ({ id, visitorId }, index) => {
        const take = () => serverOf(index + 1).parley.conversations.move(owner, botId, id, "open")
        const say = () => post(index, { publicKey, visitorId, message: "May I?", conversationId: id })
        // The first two in either order, the others at the same time.
        if (index === 0) {
          const first = await say()
          await take()
          return { id, said: first }
        }
        if (index === 1) await take()
        const pause = new Promise((resolve) => setTimeout(resolve, index % 20))
        const [said] = await Promise.all(index % 2 === 0 ? [say(), pause.then(take)] : [pause.then(say), take()])
        return { id, said: said as Awaited<ReturnType<typeof post>> }
      })
    )
    expect(new Set(raced.map(({ said }) => said.status))).toEqual(new Set([200]))
    for (const { id, said } of raced) {
      const { handover, messages } = await conversations.get(owner, botId, id)
      const kept = messages.map(({ content, credits: paid }) => [content, paid])
      const first = [
        ["Hi", undefined],
        ["Yes.", PRICE]
      ]
      expect(handover?.state).toBe("open")
      expect([said.by, said.text, kept]).toEqual(
        said.by === "bot"
          ? ["bot", "Yes.", [...first, ["May I?", undefined], ["Yes.", PRICE]]]
          : ["person", "", [...first, ["May I?", undefined]]]
      )
    }
    const byBot = raced.filter(({ said }) => said.by === "bot").length
    const { total } = await credits.history({ userId: owner, limit: 1, offset: 0, type: "usage" })
    expect(total).toBe(CONVERSATIONS + byBot)
    expect(await conversations.counts(owner, botId)).toEqual({ waiting: 0, open: CONVERSATIONS, solved: 0 })
    expect(byBot, "the bot won some").toBeGreaterThan(0)
    expect(byBot, "and a person others").toBeLessThan(CONVERSATIONS)
  })
})
