import type { ModelFailure } from "@parley/core/adapter"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello" }] }

let server: TestServer
let logged = 0
beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => {
  logged = server.log.length
})
afterAll(() => server.close())

/** The response to a message whose model fails with this reason before its first words. */
const answerTo = async (reason: ModelFailure, told: { readonly retryAfterMs?: number } = {}): Promise<Response> => {
  const calling = server.model.nextCall()
  const responding = server.post("/api/chat", hello, ANN)
  ;(await calling).fail(reason, told)
  return responding
}

const newLines = () =>
  server.log.slice(logged).map((line) => JSON.parse(line) as { level: string; annotations: Record<string, unknown> })

describe("a provider that is rate limited or down", () => {
  test.each([
    ["rate-limited", "provider_rate_limited"],
    ["unavailable", "provider_unavailable"],
    ["stalled", "provider_unavailable"]
  ] as const)(
    "is the interface's 500 with a code of its own, and a warning, not an error: %s",
    async (reason, code) => {
      const problem = await expectProblem(await answerTo(reason), 500, code)
      expect(problem).toMatchObject({ reason, model: "model-a-mini" })
      const lines = newLines().filter(({ annotations }) => annotations["code"] === code)
      expect(lines.map(({ level }) => level)).toEqual(["WARN"])
      expect(newLines().filter(({ level }) => ["ERROR", "FATAL"].includes(level))).toEqual([])
      expect(await server.parley.credits.balance(ANN)).toMatchObject({ available: 100, held: 0 })
    }
  )

  test.each([
    [30_000, "30"],
    [1, "1"],
    [0, "1"],
    [1_001, "2"],
    [86_400_000, "86400"],
    [86_401_000, "86400"]
  ])(
    "asks the client to wait as the provider does, %i ms, in whole seconds and no longer than a day",
    async (retryAfterMs, seconds) => {
      const limited = await answerTo("rate-limited", { retryAfterMs })
      expect([limited.status, limited.headers.get("retry-after")]).toEqual([500, seconds])
      const down = await answerTo("unavailable", { retryAfterMs })
      expect([down.status, down.headers.get("retry-after")]).toEqual([500, seconds])
    }
  )

  test("asks for no wait where the provider did not tell one, and none for what waiting does not cure", async () => {
    expect((await answerTo("rate-limited")).headers.has("retry-after")).toBe(false)
    const refused = await answerTo("refused", { retryAfterMs: 5_000 })
    expect(refused.headers.has("retry-after")).toBe(false)
    await expectProblem(refused, 500, "model_failed")
  })

  test("that refuses this server's settings has a code of its own, and only the operator sees the wrong setting", async () => {
    const calling = server.model.nextCall()
    const responding = server.post("/api/chat", hello, ANN)
    const fault = "the parameter stream_options is refused"
    ;(await calling).fail("misconfigured", { fault })
    const problem = await expectProblem(await responding, 500, "model_misconfigured")
    expect(problem).toMatchObject({ reason: "misconfigured", model: "model-a-mini" })
    expect(JSON.stringify(problem)).not.toContain("stream_options")
    const errors = newLines().filter(({ level }) => level === "ERROR")
    expect(errors.map(({ annotations }) => annotations)).toMatchObject([{ model: "model-a-mini", fault }])
    expect(await server.parley.credits.balance(ANN)).toMatchObject({ available: 100, held: 0 })
  })

  test("has its codes and its header in the OpenAPI document", async () => {
    const document = (await (await server.fetch("/openapi.json")).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, { $ref: string }> }>>
      components: { responses: Record<string, { description: string; headers?: unknown }> }
    }
    const answer = (status: string) => {
      const { $ref = "" } = document.paths["/api/chat"]?.["post"]?.responses[status] ?? {}
      return document.components.responses[$ref.replace("#/components/responses/", "")]
    }
    expect(answer("500")?.description).toMatch(/`provider_rate_limited`.*`provider_unavailable`/)
    expect(answer("500")?.headers).toMatchObject({ "Retry-After": { schema: { type: "integer" } } })
    expect(answer("402")).toBeDefined()
    expect(answer("402")).not.toHaveProperty("headers")
  })
})
