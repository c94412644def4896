import { LLMock } from "@copilotkit/aimock"
import { defaultCatalog, type Model } from "@parley/core"
import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { AnthropicChatModel, OpenAiChatModel } from "../../src/index.ts"
import { listen } from "./listen.ts"

const apiKey = Redacted.make("sk-test")
const retry = { retries: 0 }
const said = "Zwei Jahre ab Lieferung – 保証は二年です 👩‍🚀."

/** An independent implementation of the vendors' formats. */
const mock = new LLMock({ port: 0, host: "127.0.0.1", latency: 0, chunkSize: 3 })

beforeAll(async () => {
  mock.onMessage("warranty", { content: said, usage: { input_tokens: 11, output_tokens: 22 } })
  mock.onMessage("busy", { error: { message: "Too many", type: "rate_limit_error" }, status: 429 })
  await mock.start()
})
afterAll(() => mock.stop())

const vendors = [
  ["openai", () => new OpenAiChatModel({ apiKey, baseUrl: `${mock.url}/v1`, retry })],
  ["anthropic", () => new AnthropicChatModel({ apiKey, baseUrl: mock.url, retry })]
] as const

describe.each(vendors)("%s, as a stand-in from elsewhere plays it", (vendor, connect) => {
  const model = defaultCatalog.models.find((each) => each.vendor === vendor) as Model
  const ask = (content: string) => listen(connect(), model, [{ role: "user", content }])

  it("is understood: text, end and usage", async () => {
    const heard = await ask("How long is the warranty?")
    expect(heard).toMatchObject({ text: said, failure: undefined })
    expect(heard.parts.at(-1)).toMatchObject({ _tag: "end", reason: "completed" })
    const end = heard.parts.at(-1)
    if (end?._tag === "end" && vendor === "anthropic") expect(end.usage).toMatchObject({ freshInput: 11, output: 22 })
  })

  it("is named where it limits the rate, and where it knows no answer", async () => {
    expect((await ask("Are you busy?")).failure).toMatchObject({ reason: "rate-limited", retryable: true })
    expect((await ask("Anything else?")).failure).toMatchObject({ reason: "misconfigured", retryable: false })
  })
})
