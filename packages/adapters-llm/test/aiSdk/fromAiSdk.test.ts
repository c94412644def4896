import type { ChatMessage } from "@parley/core"
import { createOpenAI } from "@ai-sdk/openai"
import {
  APICallError,
  JSONParseError,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError
} from "@ai-sdk/provider"
import { defaultCatalog, type Model } from "@parley/core"
import type { ReplyPart } from "@parley/core/adapter"
import { MockLanguageModelV3, MockLanguageModelV4 } from "ai/test"
import { Effect, Exit, Cause, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aiSdkFailure } from "../../src/aiSdk/aiSdkFailure.ts"
import { aiSdkReader, aiSdkUsage } from "../../src/aiSdk/aiSdkReader.ts"
import { type AiSdkModel, type AiSdkSource, fromAiSdk } from "../../src/aiSdk/index.ts"

const model = { ...(defaultCatalog.models[0] as Model), vendorModel: "its-name" }
const messages = [
  { role: "system" as const, content: "Be brief." },
  { role: "user" as const, content: "passages" },
  { role: "user" as const, content: "question" }
]

const counted = { inputTokens: { total: 5, noCache: 5 }, outputTokens: { total: 2 } }
const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: counted }
const hello = { type: "text-delta", id: "0", delta: "Hello" }

const streamOf = (parts: ReadonlyArray<unknown>) =>
  new ReadableStream<unknown>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    }
  }) as ReadableStream<never>

const listen = async (source: AiSdkSource, retries = 0, asked: ReadonlyArray<ChatMessage> = messages) => {
  const chatModel = fromAiSdk(source, { retry: { retries, baseDelayMs: 1 } })
  const exit = await Effect.runPromiseExit(
    Stream.runCollect(chatModel.stream({ model, messages: asked, maxOutputTokens: 77 }))
  )
  return Exit.isSuccess(exit) ? [...exit.value] : Cause.squash(exit.cause)
}

const read = (part: unknown): ReadonlyArray<ReplyPart> => [...aiSdkReader(model.id, () => "openai").read(part)]

describe("a request", () => {
  it("has the instructions apart, roles in turn, the output limit, and the effort where the specification has one", async () => {
    const [third, fourth] = [MockLanguageModelV3, MockLanguageModelV4].map(
      (Mock) => new Mock({ doStream: () => Promise.resolve({ stream: streamOf([hello, finish]) }) })
    ) as [MockLanguageModelV3, MockLanguageModelV4]
    await listen(third)
    await listen(fourth)
    const call = {
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "passages\n\nquestion" }] }
      ],
      maxOutputTokens: 77,
      abortSignal: expect.any(AbortSignal)
    }
    expect(third.doStreamCalls).toEqual([call])
    expect(fourth.doStreamCalls).toEqual([{ ...call, reasoning: model.effort }])
  })

  it("has the images of a question before its text, as each specification takes them", async () => {
    const [third, fourth] = [MockLanguageModelV3, MockLanguageModelV4].map(
      (Mock) => new Mock({ doStream: () => Promise.resolve({ stream: streamOf([hello, finish]) }) })
    ) as [MockLanguageModelV3, MockLanguageModelV4]
    const bytes = new Uint8Array([1, 255])
    const image = { id: crypto.randomUUID(), mediaType: "image/png", width: 1, height: 1, bytes } as const
    const question: ChatMessage = { role: "user", content: "What is it?", images: [image] }
    await listen(third, 0, [question])
    await listen(fourth, 0, [question])
    const prompt = (data: unknown) => [
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data },
          { type: "text", text: "What is it?" }
        ]
      }
    ]
    expect(third.doStreamCalls[0]?.prompt).toEqual(prompt(bytes))
    expect(fourth.doStreamCalls[0]?.prompt).toEqual(prompt({ type: "data", data: bytes }))
    await listen(third, 0, [{ ...question, content: "" }])
    expect(third.doStreamCalls[1]?.prompt).toEqual([
      { role: "user", content: [{ type: "file", mediaType: "image/png", data: bytes }] }
    ])
  })

  it("asks the provider for the model that the catalog names", async () => {
    const asked: Array<string> = []
    const source = (vendorModel: string): AiSdkModel => {
      asked.push(vendorModel)
      return new MockLanguageModelV4({ doStream: () => Promise.resolve({ stream: streamOf([hello, finish]) }) })
    }
    expect(await listen(source)).toEqual([
      { _tag: "text-delta", text: "Hello" },
      { _tag: "end", reason: "completed", usage: { freshInput: 5, cacheRead: 0, cacheWrite: 0, output: 2 } }
    ])
    expect(asked).toEqual(["its-name"])
  })

  it("is repeated before the first words only, and not more often than it may be", async () => {
    const busy = { type: "error", error: { type: "overloaded_error" } }
    const before = new MockLanguageModelV4({ doStream: () => Promise.resolve({ stream: streamOf([busy]) }) })
    expect(await listen(before, 2)).toMatchObject({ reason: "unavailable" })
    expect(before.doStreamCalls).toHaveLength(3)
    const within = new MockLanguageModelV4({ doStream: () => Promise.resolve({ stream: streamOf([hello, busy]) }) })
    expect(await listen(within, 2)).toMatchObject({ reason: "unavailable" })
    expect(within.doStreamCalls).toHaveLength(1)
  })

  it("to a server that is not there names the model as unavailable, without the prompt in its cause", async () => {
    const provider = createOpenAI({ apiKey: "sk-test", baseURL: "http://127.0.0.1:1/v1" })
    const failure = await listen(provider.chat("m"))
    expect(failure).toMatchObject({ _tag: "ModelFailed", reason: "unavailable", retryable: true })
    expect(JSON.stringify(failure)).not.toContain("question")
  })
})

describe("the end of a stream", () => {
  const ending = (finishReason: unknown, usage: object = counted) => read({ type: "finish", finishReason, usage })

  it.each([
    [{ unified: "stop", raw: "stop" }, "completed"],
    [{ unified: "other", raw: "eos" }, "completed"],
    [{ unified: "length", raw: "length" }, "length"],
    ["stop", "completed"],
    ["length", "length"]
  ])("with the vendor's reason %j is %s", (finishReason, reason) => {
    expect(ending(finishReason)).toMatchObject([{ _tag: "end", reason }])
  })

  it.each([[{ unified: "interrupted" }], [{ unified: "other" }], ["unknown"], [undefined]])(
    "without the vendor's reason, as %j, is none",
    (finishReason) => {
      expect(ending(finishReason)).toEqual([])
    }
  )

  it.each([
    ["content-filter", "refused"],
    ["tool-calls", "bad-answer"],
    ["error", "unavailable"]
  ])("by %s is a failure: %s", (unified, reason) => {
    expect(() => ending({ unified, raw: unified })).toThrow(expect.objectContaining({ reason }))
  })
})

describe("usage", () => {
  const count = fc.nat({ max: 1_000_000 })

  it("has each token of a report in one counter", () => {
    fc.assert(
      fc.property(count, count, count, count, fc.boolean(), (noCache, cacheRead, cacheWrite, total, isSplit) => {
        const inputTokens = {
          total: noCache + cacheRead + cacheWrite,
          cacheRead,
          cacheWrite,
          ...(isSplit ? { noCache } : {})
        }
        expect(aiSdkUsage({ inputTokens, outputTokens: { total } }, "any")).toEqual({
          freshInput: noCache,
          cacheRead,
          cacheWrite,
          output: total
        })
      })
    )
  })

  it("has writes to the cache once if the provider counts them within its uncached input, too", () => {
    const inputTokens = { total: 1_000, noCache: 900, cacheRead: 100, cacheWrite: 500 }
    expect(aiSdkUsage({ inputTokens, outputTokens: { total: 7 } }, "openrouter")).toEqual({
      freshInput: 400,
      cacheRead: 100,
      cacheWrite: 500,
      output: 7
    })
  })

  it("of specification 2 takes cached tokens out of the input of those vendors that count them in", () => {
    const usage = { inputTokens: 100, cachedInputTokens: 80, outputTokens: 7 }
    const rest = { cacheRead: 80, cacheWrite: 0, output: 7 }
    expect(aiSdkUsage(usage, "openai.chat")).toEqual({ ...rest, freshInput: 20 })
    expect(aiSdkUsage(usage, "anthropic.messages")).toEqual({ ...rest, freshInput: 100 })
    expect(aiSdkUsage({ ...usage, inputTokens: 10 }, "other")).toEqual({ ...rest, freshInput: 10 })
  })

  it.each([
    [{}],
    [{ inputTokens: 5 }],
    [{ inputTokens: {}, outputTokens: {} }],
    [{ inputTokens: -1, outputTokens: 2 }]
  ])("that says %j is none", (usage) => {
    expect(aiSdkUsage(usage, "any")).toBeUndefined()
  })
})

describe("a failure", () => {
  const answer = (statusCode: number, more: object = {}) =>
    new APICallError({ message: "vendor text", url: "", requestBodyValues: { prompt: "secret" }, statusCode, ...more })

  it.each([
    [answer(401), { reason: "misconfigured", retryable: false }],
    [answer(404), { reason: "misconfigured", retryable: false }],
    [answer(503), { reason: "unavailable", retryable: true }],
    [answer(429, { responseHeaders: { "retry-after": "7" } }), { reason: "rate-limited", retryAfterMs: 7_000 }],
    [answer(400, { responseBody: '{"error":{"code":"content_filter"}}' }), { reason: "refused", retryable: false }],
    [new LoadAPIKeyError({ message: "no key" }), { reason: "misconfigured" }],
    [new NoSuchModelError({ modelId: "m", modelType: "languageModel" }), { reason: "misconfigured" }],
    [new UnsupportedFunctionalityError({ functionality: "f" }), { reason: "misconfigured" }],
    [new JSONParseError({ text: "<html>", cause: undefined }), { reason: "bad-answer" }],
    [{ type: "rate_limit_error", message: "vendor text" }, { reason: "rate-limited" }],
    [new TypeError("terminated"), { reason: "unavailable", retryable: true }]
  ])("%# of the AI SDK is named", (error, expected) => {
    const failure = aiSdkFailure(model.id, error)
    expect(failure).toMatchObject({ _tag: "ModelFailed", model: model.id, ...expected })
    expect(failure.message).not.toContain("vendor text")
    expect(JSON.stringify(failure)).not.toContain("secret")
  })
})
