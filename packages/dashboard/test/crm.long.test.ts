import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { callbackPath, type CrmServers, startCrmServers } from "./support/crmServers.ts"
import { CrmVisitor } from "./support/CrmVisitor.ts"

let servers: CrmServers | undefined
const started = (): CrmServers => {
  if (servers === undefined) throw new Error("The servers are not started yet.")
  return servers
}
const tokenCalls = () => started().provider_one.tokenCalls + started().provider_two.tokenCalls

const owner = async (name: string) => {
  const visitor = await CrmVisitor.signedIn(started().server.url, `${name}@crm-long.example`)
  return { visitor, botId: await visitor.makeBot() }
}
const approved = async (visitor: CrmVisitor, botId: string) =>
  started().provider_one.answer(await visitor.connect("provider_one", botId), "approve")

describe("CRM connections, at length", () => {
  beforeAll(async () => {
    servers = await startCrmServers()
  })
  afterAll(() => servers?.server.stop())

  it("a provider that stays silent is asked once, and nothing is stored", async () => {
    const { botId, visitor } = await owner("silent")
    const callback = await approved(visitor, botId)
    started().provider_one.failNext("silence")
    const before = tokenCalls()
    expect(await visitor.comeBack(callback)).toMatchObject({
      status: 303,
      location: `/dashboard/bots/${botId}?crm_error=exchange`
    })
    expect(tokenCalls() - before).toBe(1)
    expect(await visitor.connection(botId, "provider_one")).toBe(null)
  })

  it("six connections at once end in any order, each at its own bot", async () => {
    const { botId, visitor } = await owner("orders")
    const bots = [botId, ...(await Promise.all(Array.from({ length: 5 }, () => visitor.makeBot())))]
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(bots, { minLength: bots.length }), async (order) => {
        const callbacks = new Map<string, URL>()
        for (const each of bots) callbacks.set(each, await approved(visitor, each))
        for (const each of order) {
          const answer = await visitor.comeBack(callbacks.get(each) ?? new URL(""))
          expect(answer.location).toBe(`/dashboard/bots/${each}?crm_connected=provider_one`)
        }
      }),
      { numRuns: 15 }
    )
  })

  it("forty rounds of ten replays at once make forty connections by forty calls", async () => {
    const { botId, visitor } = await owner("rounds")
    for (let round = 0; round < 40; round++) {
      const callback = await approved(visitor, botId)
      const before = tokenCalls()
      const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.twin().comeBack(callback)))
      expect(answers.filter(({ location }) => location?.includes("crm_connected"))).toHaveLength(1)
      expect(tokenCalls() - before).toBe(1)
    }
  })

  it("no made-up query asks the provider anything, leads off the dashboard or is written back", async () => {
    const { botId, visitor } = await owner("fuzz")
    const own = async () => (await visitor.connect("provider_one", botId)).searchParams.get("state") ?? ""
    const name = fc.constantFrom(
      "state",
      "code",
      "error",
      "error_description",
      "iss",
      "botId",
      "redirect_uri",
      "next",
      "id_token"
    )
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom(
        "access_denied",
        "//evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "a\r\nset-cookie: a=b",
        "__proto__"
      )
    )
    const before = tokenCalls()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 8 }), fc.boolean(), async (pairs, isOwn) => {
        const query = new URLSearchParams(isOwn ? pairs.filter(([each]) => each !== "code") : pairs)
        if (isOwn) query.set("state", await own())
        const answer = await visitor.get(`${callbackPath("provider_one")}?${query}`)
        expect([303, 400, 414, 431]).toContain(answer.status)
        if (answer.location !== null) {
          expect(answer.location).toMatch(
            new RegExp(`^/dashboard/bots/${botId}\\?crm_error=(denied|state|exchange|bot)$`)
          )
        }
        expect(answer.text).not.toContain("evil.example")
      }),
      { numRuns: 300 }
    )
    expect(tokenCalls() - before).toBe(0)
    expect(await visitor.connection(botId, "provider_one")).toBe(null)
  })
})
