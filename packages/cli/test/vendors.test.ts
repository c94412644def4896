import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { FakeOpenAi } from "../../../test/support/FakeOpenAi.ts"
import { departures } from "./processes/departures.ts"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"

const KEY = "sk-test-hunter2"
describe("a server with a vendor's key", () => {
  const folder = temporaryFolder()
  const vendor = new FakeOpenAi()
  let environment: Readonly<Record<string, string>>
  let server: RunningServer
  let ann: Visitor
  beforeAll(async () => {
    environment = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: await vendor.start() }
    server = await startServer(folder.path, environment)
    ann = new Visitor(server.url)
    await ann.signIn("ann@example.com")
  })
  beforeEach(() => {
    vendor.calls.length = 0
    vendor.refuseWith = undefined
    vendor.refusalHeaders = {}
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await vendor[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const ask = (content: string) => ann.post("/api/chat", { messages: [{ role: "user", content }] })

  it("lets the vendor answer, says which model did, and charges by the vendor's figures", async () => {
    const answer = await ask("Hi")
    expect([answer.status, answer.headers.get("x-model"), await answer.text()]).toEqual([
      200,
      "model-a-mini",
      "Hello there"
    ])
    expect(vendor.calls).toHaveLength(1)
    expect(vendor.calls[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`)
    const history = await ann.getJson<{ transactions: ReadonlyArray<{ receipt: unknown }> }>(
      "/api/billing/credit-history?type=usage"
    )
    expect(JSON.stringify(history.transactions[0])).toContain('"estimated":false')
  })

  it.each([
    [429, "provider_rate_limited"],
    [503, "provider_unavailable"]
  ])(
    "answers a vendor's %i with 500, its own code and the vendor's wait, and warns without an error",
    async (status, code) => {
      vendor.refuseWith = status
      vendor.refusalHeaders = { "retry-after": "42" }
      const before = server.process.stderr.length
      const answer = await ask("Hi")
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([500, "42"])
      expect(await answer.json()).toMatchObject({ code, model: "model-a-mini" })
      const log = await eventually("the warning", () => {
        const written = server.process.stderr.slice(before)
        return written.includes(code) ? written : undefined
      })
      expect(log).toMatch(/\bWARN\b/)
      expect(log).not.toMatch(/\b(ERROR|FATAL)\b/)
    }
  )

  it("says at its start who answers, and in its list which models do not", async () => {
    expect(server.process.stdout).toMatch(/models +openai/)
    const { models } = await ann.getJson<{ models: ReadonlyArray<{ id: string; available: boolean }> }>("/api/models")
    expect(models.filter(({ available }) => available).map(({ id }) => id)).toEqual([
      "model-a-mini",
      "model-a",
      "model-a-turbo"
    ])
  })

  it("aborts the request to a silent vendor when the reader leaves, and ends the hold", async () => {
    await departures({ url: server.url, visitor: ann, vendor, count: 3 })
    const balance = () => ann.getJson<{ held: number }>("/api/billing/balance")
    await eventually("the holds to end", async () => ((await balance()).held === 0 ? true : undefined))
  })

  describe("doctor", () => {
    const doctor = (...flags: ReadonlyArray<string>) => doctorWith({}, flags)
    const doctorWith = async (
      more: Readonly<Record<string, string>>,
      flags: ReadonlyArray<string> = [],
      place = folder.path
    ) => {
      const all = { ...environment, ...more }
      const { exit, stderr, stdout } = await runHere(["doctor", "--json", ...flags], place, all)
      expect(stdout + stderr).not.toContain(KEY)
      const { checks } = JSON.parse(stdout) as {
        checks: ReadonlyArray<{ name: string; where: string; status: string; detail: string; advice?: string }>
      }
      return { exit, checks, of: (name: string) => checks.find((check) => check.name === name) }
    }

    it("lists the usable models and the missing keys, without a request", async () => {
      const { exit, of } = await doctor()
      expect(exit).toBe(0)
      expect(of("model model-a-mini")).toMatchObject({
        status: "ok",
        detail: expect.stringContaining("usable: openai")
      })
      expect(of("model model-b-sonnet-20241022")).toMatchObject({
        status: "note",
        detail: expect.stringContaining("ANTHROPIC_API_KEY is missing")
      })
      expect(vendor.calls).toHaveLength(0)
    })

    it("warns of a plan that is sold with models which this server cannot run, and of no other", async () => {
      // Without a server, whose own catalog would count.
      using place = temporaryFolder()
      const config = join(place.path, "sold.json")
      writeFileSync(config, JSON.stringify({ prices: { price_1: { tier: "pro" } } }))
      const { exit, checks } = await doctorWith({ PARLEY_CONFIG: config }, [], place.path)
      expect(exit).toBe(0)
      const warnings = checks.filter(({ name }) => name.startsWith("sold tier"))
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toMatchObject({
        name: "sold tier pro",
        status: "note",
        detail: "sold with model-b-sonnet-20241022, which this server cannot run: people are not shown it",
        advice: "Set ANTHROPIC_API_KEY, or take the model out of the tier in PARLEY_CONFIG."
      })
    })

    it("makes one call for one token with --live, and says that it works", async () => {
      const { exit, of } = await doctor("--live")
      expect([exit, of("live openai")?.status]).toEqual([0, "ok"])
      expect(vendor.calls.map(({ body }) => body["max_completion_tokens"])).toEqual([1])
      expect(of("live anthropic")).toBeUndefined()
    })

    it.each([
      [429, "", "rate-limited", 69, 1],
      [503, "", "unavailable", 69, 1],
      [401, "", "the key is refused", 3, 1],
      // The second request leaves out the parameters that a simple server may not know.
      [400, "", "refused", 69, 2],
      // The limit is sent in the other field, which does not help.
      [400, '"param":"max_tokens","message":"vendor text"', "the parameter max_tokens is refused", 3, 2]
    ])("names with --live what is wrong: %i %s is %s", async (status, error, reason, ending, calls) => {
      vendor.refuseWith = status
      vendor.refusalBody = `{"error":{${error}}}`
      const { exit, of } = await doctor("--live")
      expect([exit, vendor.calls.length]).toEqual([ending, calls])
      expect(of("live openai")).toMatchObject({ status: "failed", detail: expect.stringContaining(reason) })
      expect(of("live openai")?.advice).not.toBe("")
      expect(JSON.stringify(of("live openai"))).not.toContain("vendor text")
    })
  })
})

describe("a server with parts of the operator's own", () => {
  it("has the tiers, models, vendor and instructions that the configuration says, and none that ship", async () => {
    using folder = temporaryFolder()
    await using house = new FakeOpenAi()
    const baseUrl = await house.start()
    const model = { vendor: "house", vendorModel: "large", creditsPer1kInput: 1, creditsPer1kOutput: 1 }
    const parts = {
      replace: true,
      vendors: { house: { baseUrl, apiKeyVariable: "HOUSE_KEY" } },
      models: { "house-1": model },
      tiers: { trial: { monthlyCredits: 70, models: ["house-1"] }, team: { monthlyCredits: 700, models: ["house-1"] } },
      replies: { instructions: "Speak like a pirate." }
    }
    writeFileSync(join(folder.path, "parts.json"), JSON.stringify(parts))
    const environment = { PARLEY_CONFIG: "parts.json", HOUSE_KEY: KEY }
    const live = await runHere(["doctor", "--live", "--json"], folder.path, environment)
    expect([live.exit, JSON.parse(live.stdout)]).toEqual([
      0,
      expect.objectContaining({ checks: expect.arrayContaining([expect.objectContaining({ name: "live house" })]) })
    ])
    await using server = await startServer(folder.path, environment)
    const ann = new Visitor(server.url)
    await ann.signIn("ann@example.com")
    const answer = await ann.post("/api/chat", { messages: [{ role: "user", content: "Hi" }] })
    expect([answer.status, answer.headers.get("x-model"), await answer.text()]).toEqual([200, "house-1", "Hello there"])
    const call = house.calls.at(-1)
    expect(call?.headers["authorization"]).toBe(`Bearer ${KEY}`)
    expect(JSON.stringify(call?.body["messages"])).toContain("Speak like a pirate.")
    expect(await ann.getJson("/api/me")).toMatchObject({ tier: { id: "trial", name: "trial", monthlyCredits: 70 } })
    expect(await ann.getJson("/api/models")).toMatchObject({ models: [{ id: "house-1", answeredBy: "house" }] })
    const document = JSON.stringify(await ann.getJson("/openapi.json"))
    expect(document).toContain('"format":"tier","enum":["trial","team"]')
    const offers = await ann.getJson<{ plans: ReadonlyArray<{ id: string; prices: ReadonlyArray<object> }> }>(
      "/api/billing/plans"
    )
    expect(offers.plans.map(({ id, prices }) => [id, prices.length])).toEqual([
      ["trial", 0],
      ["team", 2]
    ])
  })
})

describe("a vendor's address without its key", () => {
  it("is a problem of the configuration", async () => {
    using folder = temporaryFolder()
    const { exit, stderr } = await runHere(["serve"], folder.path, { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" })
    expect(exit).toBe(3)
    expect(stderr).toContain("OPENAI_API_KEY")
  })
})
