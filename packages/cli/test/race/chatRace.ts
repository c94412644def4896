import type { ChatModel, ReplyPart } from "@parley/core/adapter"
import { Deferred, Effect, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dropSchema, type InProcessServer, startInProcess } from "./InProcessServers.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

const CALLERS = 50
const SERVERS = 5
const PRICE = 100

/** A reply costs exactly what a free account has. */
const config = {
  tiers: { free: { monthlyCredits: PRICE } },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } }
}

/** Answers only when told to, so that whoever was let in still holds the credits while all others are decided. */
class HeldModel implements ChatModel {
  readonly name = "held"
  asked = 0
  answer = Deferred.makeUnsafe<void>()

  stream(): Stream.Stream<ReplyPart> {
    this.asked += 1
    const parts: ReadonlyArray<ReplyPart> = [
      { _tag: "text-delta", text: "Yes." },
      { _tag: "end", reason: "completed", usage: undefined }
    ]
    return Stream.unwrap(Effect.as(Deferred.await(this.answer), Stream.fromIterable(parts)))
  }
}

/** Fifty chats at once on a balance that pays for one, on several servers, round after round. */
export const chatRace = (rounds: number) =>
  describe.skipIf(url === "")(`${CALLERS} chats at once on a balance for one, over ${SERVERS} servers`, () => {
    const schema = `race_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    const model = new HeldModel()
    let servers: ReadonlyArray<InProcessServer> = []

    beforeAll(async () => {
      const first = await startInProcess({ url, schema }, model, config)
      const rest = Array.from({ length: SERVERS - 1 }, () => startInProcess({ url, schema }, model, config))
      servers = [first, ...(await Promise.all(rest))]
    })
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.close()))
      await dropSchema(url, schema)
    })

    const serverOf = (index: number): InProcessServer => servers[index % servers.length] as InProcessServer

    const signIn = async (email: string): Promise<string> => {
      const response = await fetch(`${serverOf(0).url}/dev/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email })
      })
      return response.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    }

    const ask = async (index: number, cookie: string) => {
      const response = await fetch(`${serverOf(index).url}/api/chat`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify({ messages: [{ role: "user", content: "May I?" }] })
      })
      return { status: response.status, text: await response.text() }
    }

    it.each(Array.from({ length: rounds }, (_, round) => round))(
      "round %i: one is answered, the others are 402, and the balance is never below zero",
      async (round) => {
        const user = `round-${round}@example.com`
        const cookie = await signIn(user)
        model.asked = 0
        model.answer = Deferred.makeUnsafe<void>()
        let decided = 0
        const asking = Array.from({ length: CALLERS }, async (_, index) => {
          const answer = await ask(index, cookie)
          decided += 1
          const { available } = await serverOf(index).parley.credits.balance(user)
          expect(available).toBe(0)
          return answer
        })
        await expect.poll(() => decided + model.asked, { timeout: 30_000 }).toBeGreaterThanOrEqual(CALLERS)
        Deferred.doneUnsafe(model.answer, Effect.void)
        const answers = await Promise.all(asking)
        expect(answers.filter(({ status }) => status === 200)).toEqual([{ status: 200, text: "Yes." }])
        expect(answers.filter(({ status }) => status === 402)).toHaveLength(CALLERS - 1)
        expect(model.asked).toBe(1)
        const after = await serverOf(round).parley.credits.balance(user)
        expect(after).toMatchObject({ allowance: 0, topup: 0, held: 0, debt: 0, available: 0 })
      }
    )
  })
