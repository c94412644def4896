import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HeldModel } from "./HeldModel.ts"
import { raceServers } from "./raceServers.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

const CALLERS = 20
const PRICE = 10
const AFFORDED = 7

/** A free account pays for seven replies and a part of another. */
const config = {
  tiers: { free: { monthlyCredits: AFFORDED * PRICE + 3 } },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: PRICE } }
}

/** The usage in a whole answer or in the events of a stream. */
const creditsIn = (text: string): number => Number(/"credits":(\d+)/.exec(text)?.[1])

describe.skipIf(url === "")(`${CALLERS} completions at once for one person, over two servers`, () => {
  const model = new HeldModel()
  const serverOf = raceServers(url, "completions", 2, model, config)

  it("never overspend: those that the balance pays are answered, the others are 402, and the rows equal the charges", async () => {
    const user = "ann@example.com"
    const { key } = await serverOf(0).parley.keys.create({ name: "tools", scopes: ["chat:complete"] })
    let decided = 0
    const asking = Array.from({ length: CALLERS }, async (_, index) => {
      const response = await fetch(`${serverOf(index).url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({
          model: "model-a-mini",
          user,
          messages: [{ role: "user", content: "May I?" }],
          stream: index % 4 < 2,
          stream_options: { include_usage: true }
        })
      })
      if (response.status !== 200) decided += 1
      return { status: response.status, text: await response.text() }
    })
    await expect.poll(() => decided + model.asked).toBe(CALLERS)
    expect((await serverOf(0).parley.credits.balance(user)).available).toBe(3)
    Deferred.doneUnsafe(model.answer, Effect.void)
    const answers = await Promise.all(asking)
    const answered = answers.filter(({ status }) => status === 200)
    expect(answered).toHaveLength(AFFORDED)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(CALLERS - AFFORDED)
    const { transactions } = await serverOf(1).parley.credits.history({
      userId: user,
      limit: 50,
      offset: 0,
      type: "usage"
    })
    const charged = answered.map(({ text }) => creditsIn(text))
    expect(charged).toEqual(transactions.map(({ amount }) => -amount))
    const balance = await serverOf(1).parley.credits.balance(user)
    expect(balance).toMatchObject({ allowance: 3, topup: 0, held: 0, debt: 0, available: 3 })
  })
})
