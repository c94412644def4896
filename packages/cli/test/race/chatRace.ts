import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HeldModel } from "./HeldModel.ts"
import { raceServers } from "./raceServers.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

const CALLERS = 50
const SERVERS = 5
const PRICE = 100

/** A reply costs exactly the credits of a free account. */
const config = {
  tiers: { free: { monthlyCredits: PRICE } },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } }
}

/** Fifty chats at once on a balance that pays for one, on several servers, round after round. */
export const chatRace = (rounds: number) =>
  describe.skipIf(url === "")(`${CALLERS} chats at once on a balance for one, over ${SERVERS} servers`, () => {
    const model = new HeldModel()
    const serverOf = raceServers(url, "race", SERVERS, model, config)

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
        await expect.poll(() => decided + model.asked).toBeGreaterThanOrEqual(CALLERS)
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
