import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parleyFetch } from "../../src/index.ts"
import { expectOpenAiError } from "../support/expectOpenAiError.ts"
import { startServer, type TestServer } from "../support/startServer.ts"
import { overFetch } from "../support/surfaces.ts"

const USER = "ann"
let server: TestServer
beforeAll(async () => {
  server = await startServer({
    surface: overFetch((options, prefix) => parleyFetch({ ...options, prefix })),
    parley: { config: { tiers: { free: { monthlyCredits: 1_000_000 } } } }
  })
})
afterAll(() => server.close())

const valid = { model: "model-a-mini", user: USER, messages: [{ role: "user", content: "Hello" }] }

const send = (body: unknown) =>
  server.fetch("/v1/chat/completions", {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", authorization: `Bearer ${server.serviceKey.key}` }
  })

const user = (content: unknown) => ({ role: "user", content })

/** Fields that are refused, and the place that the refusal names. */
const refusals: ReadonlyArray<readonly [string, object, string]> = [
  ["no person", { user: undefined }, "user"],
  ["a person that is null", { user: null }, "user"],
  ["an empty person", { user: "" }, "user"],
  ["a person with NUL", { user: "a\0b" }, "user"],
  ["a person of 256 characters", { user: "a".repeat(256) }, "user"],
  ["no model", { model: undefined }, "model"],
  ["a model that is a number", { model: 7 }, "model"],
  ["no messages", { messages: undefined }, "messages"],
  ["an empty conversation", { messages: [] }, "messages"],
  ["1,001 messages", { messages: Array.from({ length: 1_001 }, () => user("Hello")) }, "messages"],
  ["instructions alone", { messages: [{ role: "system", content: "Be brief." }] }, "messages"],
  ["a conversation that ends with a reply", { messages: [user("a"), { role: "assistant", content: "b" }] }, "messages"],
  ["a blank question", { messages: [user(" \n")] }, "messages"],
  ["a question without parts", { messages: [user([])] }, "messages"],
  ["a result of a tool", { messages: [{ role: "tool", tool_call_id: "1", content: "x" }] }, "messages[0].role"],
  ["an unknown role", { messages: [{ role: "owner", content: "x" }] }, "messages[0].role"],
  ["no content", { messages: [user(null)] }, "messages[0].content"],
  ["a content that is a number", { messages: [user(7)] }, "messages[0].content"],
  ["a lone surrogate", { messages: [user("\ud800")] }, "messages[0].content"],
  ["NUL in a part", { messages: [user([{ type: "text", text: "\0" }])] }, "messages[0].content[0].text"],
  [
    "a picture",
    {
      messages: [
        user([
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: "data:," } }
        ])
      ]
    },
    "messages[0].content[1].type"
  ],
  [
    "a recording",
    { messages: [user([{ type: "input_audio", input_audio: { data: "", format: "wav" } }])] },
    "messages[0].content[0].type"
  ],
  ["two answers", { n: 2 }, "n"],
  ["an answer count as a text", { n: "1" }, "n"],
  ["tools", { tools: [{ type: "function", function: { name: "f" } }] }, "tools"],
  ["a chosen tool", { tool_choice: { type: "function", function: { name: "f" } } }, "tool_choice"],
  ["a required tool", { tool_choice: "required" }, "tool_choice"],
  ["functions", { functions: [{ name: "f" }] }, "functions"],
  ["a chosen function", { function_call: { name: "f" } }, "function_call"],
  ["a JSON schema", { response_format: { type: "json_schema", json_schema: { name: "x" } } }, "response_format"],
  ["JSON", { response_format: { type: "json_object" } }, "response_format"],
  ["probabilities", { logprobs: true }, "logprobs"],
  ["the best probabilities", { top_logprobs: 3 }, "top_logprobs"],
  ["biased tokens", { logit_bias: { 50256: -100 } }, "logit_bias"],
  ["a text that ends the reply", { stop: "\n" }, "stop"],
  ["texts that end the reply", { stop: ["a", "b"] }, "stop"],
  ["speech", { audio: { voice: "alloy", format: "mp3" } }, "audio"],
  ["spoken replies", { modalities: ["text", "audio"] }, "modalities"],
  ["a search of the web", { web_search_options: {} }, "web_search_options"],
  ["a limit of zero", { max_tokens: 0 }, "max_tokens"],
  ["a limit that is no whole number", { max_completion_tokens: 1.5 }, "max_completion_tokens"],
  ["a stream that is a text", { stream: "true" }, "stream"],
  ["options that are a text", { stream_options: "usage" }, "stream_options"]
]

describe("a body is refused by name", () => {
  test.each(refusals)("with %s", async (_, more, param) => {
    const { requests } = server.model
    const error = await expectOpenAiError(await send({ ...valid, ...more }), 400, "invalid_request")
    expect(error).toMatchObject({ param, type: "invalid_request_error" })
    expect(String(error["message"])).toContain(param)
    expect(server.model.requests).toBe(requests)
  })

  test("without a person, with the sentence that says what to send", async () => {
    const error = await expectOpenAiError(await send({ ...valid, user: undefined }), 400, "invalid_request")
    expect(error["message"]).toMatch(/person who pays.*identity provider.*field user/)
  })

  test("with more than a megabyte", async () => {
    await expectOpenAiError(await send({ ...valid, messages: [user("x".repeat(2 ** 20))] }), 413, "payload_too_large")
  })
})

test("parameters that ask for nothing are accepted", async () => {
  const nothing = {
    n: null,
    tools: [],
    tool_choice: "auto",
    functions: null,
    function_call: "none",
    response_format: { type: "text" },
    logprobs: false,
    top_logprobs: 0,
    logit_bias: {},
    stop: [],
    audio: null,
    modalities: ["text"],
    stream: null,
    stream_options: null,
    max_tokens: null,
    max_completion_tokens: null,
    temperature: 2,
    frequency_penalty: 1,
    store: true,
    service_tier: "auto",
    unheard_of: { a: [1] }
  }
  const response = await send({ ...valid, ...nothing })
  expect(response.status, await response.text()).toBe(200)
})

test("a prompt that is too long has the code by which clients choose another model", async () => {
  const error = await expectOpenAiError(
    await send({ ...valid, messages: [user("word ".repeat(190_000))] }),
    422,
    "context_length_exceeded"
  )
  expect(error).toMatchObject({ window: expect.any(Number) })
})

const anything = fc.anything({ key: fc.constantFrom("role", "content", "type", "text", "__proto__"), maxDepth: 3 })
const hostileMessage = fc.record(
  {
    role: fc.oneof(fc.constantFrom("user", "assistant", "system", "developer", "tool"), anything),
    content: fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.record({ type: fc.constantFrom("text", "image_url"), text: fc.string() })),
      anything
    )
  },
  { requiredKeys: [] }
)
const hostile = fc.record(
  {
    model: fc.oneof(fc.constantFrom("model-a-mini", "model-a", "__proto__"), anything),
    user: fc.oneof(fc.constant(USER), fc.string({ unit: "binary" }), anything),
    messages: fc.oneof(fc.array(hostileMessage, { maxLength: 4 }), anything),
    stream: fc.oneof(fc.boolean(), anything),
    stream_options: anything,
    max_tokens: fc.oneof(fc.integer(), anything),
    n: fc.oneof(fc.constant(1), anything),
    tools: anything,
    stop: anything
  },
  { requiredKeys: [] }
)

test("any body is answered with a reply or a refusal in OpenAI's form, and holds nothing afterwards", async () => {
  const asText = (body: unknown) =>
    JSON.stringify(body, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each))
  await fc.assert(
    fc.asyncProperty(hostile, async (body) => {
      const response = await send(asText(body))
      const text = await response.text()
      expect(response.status, text).toBeLessThan(500)
      if (response.status === 200) expect(text).toMatch(/^\{.*\}$|data: \[DONE\]\n\n$/s)
      else expect(Object.keys(JSON.parse(text) as object)).toEqual(["error"])
    }),
    { numRuns: 300 }
  )
  expect(await server.parley.credits.balance(USER)).toMatchObject({ held: 0 })
})
