import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HeldModel } from "./HeldModel.ts"
import { raceServers } from "./raceServers.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

const VISITORS = 50
const SERVERS = 5
const PRICE = 100
const MANY = 1_000_000

/** A reply costs exactly the credits of a free account; no limit of rates applies. */
const config = {
  tiers: { free: { monthlyCredits: PRICE } },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } },
  widget: {
    ...{ perIpPerMinute: MANY, streamsPerIp: MANY, perConversationPerMinute: MANY },
    ...{ perBotPerMinute: MANY, streamsPerBot: MANY, ownerDailyCredits: MANY }
  }
}

/** Visitors of bots on several servers over one Postgres, round after round. */
export const visitorRace = (rounds: number) =>
  describe.skipIf(url === "")(`visitors of bots, over ${SERVERS} servers`, () => {
    const model = new HeldModel()
    const serverOf = raceServers(url, "visitors", SERVERS, model, config)

    const newBot = async (owner: string) => {
      const { keys } = await serverOf(0).parley.bots.create(owner, { displayName: "Ada", declineText: "Closed." })
      return keys[0]?.publicKey ?? ""
    }

    const post = async (index: number, path: string, body: object) => {
      const response = await fetch(`${serverOf(index).url}/api/widget/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const conversationId = response.headers.get("x-conversation-id")
      return { status: response.status, conversationId, text: await response.text() }
    }

    it.each(Array.from({ length: rounds }, (_, round) => round))(
      `round %i: of ${VISITORS} at once on credits for one, one is answered, the others are declined for nothing, and the balance is never below zero`,
      async (round) => {
        const owner = `owner-${round}@example.com`
        const publicKey = await newBot(owner)
        model.asked = 0
        model.answer = Deferred.makeUnsafe<void>()
        let decided = 0
        const asking = Array.from({ length: VISITORS }, async (_, index) => {
          const visitorId = `visitor-${index}`
          const answer = await post(index, "chat", { publicKey, visitorId, message: "May I?" })
          decided += 1
          const { available } = await serverOf(index).parley.credits.balance(owner)
          expect(available).toBe(0)
          return { ...answer, visitorId }
        })
        await expect.poll(() => decided + model.asked, { timeout: 30_000 }).toBeGreaterThanOrEqual(VISITORS)
        Deferred.doneUnsafe(model.answer, Effect.void)
        const answers = await Promise.all(asking)
        expect(answers.filter(({ status }) => status !== 200)).toEqual([])
        expect(answers.filter(({ text }) => text === "Yes.")).toHaveLength(1)
        expect(answers.filter(({ text }) => text === "Closed.")).toHaveLength(VISITORS - 1)
        expect(new Set(answers.map(({ conversationId }) => conversationId)).size).toBe(VISITORS)
        expect(model.asked).toBe(1)
        const { parley } = serverOf(round)
        expect(await parley.credits.balance(owner)).toMatchObject({ allowance: 0, topup: 0, held: 0, debt: 0 })
        const { transactions } = await parley.credits.history({
          ...{ userId: owner, limit: 50, offset: 0, type: "usage" }
        })
        expect(transactions.map(({ amount }) => amount)).toEqual([-PRICE])
      }
    )

    it("over every pair of visitor, bot and owner, a conversation is there for its own alone, on every server", async () => {
      model.answer = Deferred.makeUnsafe<void>()
      Deferred.doneUnsafe(model.answer, Effect.void)
      const owners = ["fence-ann@example.com", "fence-bob@example.com"]
      const keys = await Promise.all(owners.flatMap((owner) => [newBot(owner), newBot(owner)]))
      const pairs = keys.flatMap((publicKey) => ["v-1", "v-2"].map((visitorId) => ({ publicKey, visitorId })))
      const held = await Promise.all(
        pairs.map(async (pair, index) => {
          const { conversationId } = await post(index, "chat", { ...pair, message: "Mine." })
          return { ...pair, conversationId }
        })
      )
      const asked = held.flatMap(({ conversationId }, of) =>
        pairs.flatMap((pair, by) =>
          ["chat", "conversation"].map(async (path) => {
            const answer = await post(of + by, path, { ...pair, conversationId, message: "What was said?" })
            const expected = of === by ? 200 : 404
            expect(answer.status, `${path} of ${of} by ${by}`).toBe(expected)
            if (expected === 404) expect(answer.text).not.toContain("Mine.")
          })
        )
      )
      await Promise.all(asked)
      for (const { conversationId, ...pair } of held) {
        const { text } = await post(0, "conversation", { ...pair, conversationId })
        const { messages } = JSON.parse(text) as { readonly messages: ReadonlyArray<{ readonly role: string }> }
        expect(messages.filter(({ role }) => role === "user")).toHaveLength(2)
      }
    })
  })
