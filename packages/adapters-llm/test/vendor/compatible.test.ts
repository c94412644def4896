import type { Model } from "@parley/core"
import { Redacted } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { OpenAiChatModel } from "../../src/index.ts"
import type { FakeVendor, Play } from "./FakeVendor.ts"
import { type Heard, listen, listenWhile, logOf, withVendor } from "./listen.ts"
import { azure } from "./servers/azure.ts"
import { answered, chunk, type CompatibleServer, done, has, streamed, told } from "./servers/CompatibleServer.ts"
import { deepSeek, deepSeekInOnePiece } from "./servers/deepSeek.ts"
import { groq } from "./servers/groq.ts"
import { liteLlm } from "./servers/liteLlm.ts"
import { llamaCpp } from "./servers/llamaCpp.ts"
import { mistral } from "./servers/mistral.ts"
import { ollama } from "./servers/ollama.ts"
import { openRouter } from "./servers/openRouter.ts"
import { vllm } from "./servers/vllm.ts"
import { openAiWire } from "./wires.ts"

const servers = [ollama, vllm, llamaCpp, liteLlm, azure, openRouter, groq, deepSeek, deepSeekInOnePiece, mistral]
const model: Model = { ...openAiWire.model, effort: "low" }
const limits = { afterEndMs: 30_000 }
const OPTIONAL = ["stream", "stream_options", "max_tokens", "max_completion_tokens", "reasoning_effort"]

const playing =
  ({ answer, refuses }: Pick<CompatibleServer, "answer" | "refuses">): Play =>
  async (connection, { body }) => {
    await connection.write(refuses(body) ?? answer(body))
    connection.end()
  }

const always =
  (answer: string): Play =>
  async (connection) => {
    await connection.write(answer)
    connection.end()
  }

/** The parameters that the last request came without. */
const missing = ({ requests }: FakeVendor): ReadonlyArray<string> =>
  OPTIONAL.filter((name) => !has(requests.at(-1)?.body ?? {}, name))

const isWhole = (heard: Heard, { text, usage }: CompatibleServer) => {
  expect(heard.failure).toBeUndefined()
  expect(heard.text).toBe(text)
  expect(heard.parts.at(-1)).toEqual({ _tag: "end", reason: "completed", usage })
}

describe.each(servers.map((server) => [server.name, server] as const))("%s", (_, server) => {
  it("is understood: words, end and usage; what it refuses is left out, and remembered", async () => {
    await withVendor(playing(server), async (url, vendor) => {
      const provider = openAiWire.connect(url, { limits })
      isWhole(await listen(provider, model), server)
      expect(missing(vendor).toSorted()).toEqual([...server.without].toSorted())
      for (const { body } of vendor.requests) {
        expect([body["max_tokens"], body["max_completion_tokens"]]).toContain(1_000)
      }
      const before = vendor.requests.length
      isWhole(await listen(provider, model), server)
      expect(vendor.requests.length).toBe(before + 1)
    })
  })

  it("is understood when every byte of its answer comes alone", async () => {
    const play: Play = async (connection, { body }) => {
      for (const byte of Buffer.from(server.refuses(body) ?? server.answer(body))) {
        await connection.write(Uint8Array.of(byte))
        await new Promise(setImmediate)
      }
      connection.end()
    }
    isWhole(await withVendor(play, (url) => listen(openAiWire.connect(url, { limits }), model)), server)
  })

  it("is asked right from the first request on where the catalog says what to leave out", async () => {
    const configured = { ...model, omitParameters: server.without as NonNullable<Model["omitParameters"]> }
    await withVendor(playing(server), async (url, vendor) => {
      isWhole(await listen(openAiWire.connect(url, { limits }), configured), server)
      expect(vendor.requests).toHaveLength(1)
    })
  })

  it.each(server.troubles.map((trouble) => [trouble.what, trouble] as const))(
    "in trouble is named for what it is: %s",
    async (_what, { answer, fault, reason }) => {
      const heard = await withVendor(always(answer), (url) => listen(openAiWire.connect(url, { limits }), model))
      expect(heard.failure).toMatchObject({ _tag: "ModelFailed", reason })
      expect(heard.parts.some(({ _tag }) => _tag === "end")).toBe(false)
      if (fault === undefined) expect(heard.failure?.fault).toBeUndefined()
      else expect(heard.failure?.fault).toContain(fault)
    }
  )
})

const refusing = (names: ReadonlyArray<string>, error: (name: string) => string): CompatibleServer => ({
  ...ollama,
  refuses: (body) => {
    const refused = names.find((name) => has(body, name))
    return refused === undefined ? undefined : error(refused)
  }
})

const named = (name: string) =>
  answered("400 Bad Request", { error: { message: "vendor text", param: name, type: "invalid_request_error" } })

describe("a parameter that is refused", () => {
  const ask = (server: CompatibleServer, asked = model) =>
    withVendor(playing(server), async (url, vendor) => {
      const heard = await listen(openAiWire.connect(url, { limits }), asked)
      return { ...heard, without: missing(vendor), requests: vendor.requests.length }
    })

  it.each([["stream_options"], ["max_completion_tokens"], ["max_tokens"], ["reasoning_effort"]])(
    "is left out: %s",
    async (name) => {
      expect(await ask(refusing([name], named))).toMatchObject({ text: "Hello there", without: [name], requests: 2 })
    }
  )

  it("is found where several are refused one after the other", async () => {
    const names = ["stream_options", "max_completion_tokens", "reasoning_effort"]
    expect(await ask(refusing(names, named))).toMatchObject({ text: "Hello there", without: names, requests: 4 })
  })

  it.each([
    ["nothing", answered("400 Bad Request", "")],
    ["a page", answered("400 Bad Request", "<html><h1>Bad Request</h1></html>", { "content-type": "text/html" })],
    ["that it does not know a field", answered("422 Unprocessable Entity", { detail: "unknown field" })]
  ])("is found without its name, by asking plainly, where the server says %s", async (_, answer) => {
    const plain = ["stream_options", "max_completion_tokens", "reasoning_effort"]
    const heard = await ask(refusing(["reasoning_effort"], () => answer))
    expect(heard).toMatchObject({ text: "Hello there", without: plain, requests: 2 })
  })

  it("takes the output limit never away whole: that is the configuration's fault then", async () => {
    const heard = await ask(refusing(["max_tokens", "max_completion_tokens"], named))
    expect(heard.failure).toMatchObject({ reason: "misconfigured", retryable: false })
    expect(heard.failure?.fault).toMatch(/the parameter max_(?:completion_)?tokens is refused/)
    expect(heard.failure?.message).not.toContain("vendor text")
  })

  it("has a fault without the vendor's text if the parameter is unknown", async () => {
    const heard = await ask(refusing(["model"], () => named("ignore_previous_instructions")))
    expect(heard.failure).toMatchObject({ reason: "refused" })
    const strange = answered("400 Bad Request", { error: { message: "Unrecognized request argument: vendor_text" } })
    const other = await ask(refusing(["model"], () => strange))
    expect(other.failure).toMatchObject({ reason: "misconfigured", fault: expect.not.stringContaining("vendor_text") })
  })

  it("is not remembered where leaving it out did not help", async () => {
    let angry = true
    const play: Play = async (connection, { body }) => {
      await connection.write(angry ? named("stream_options") : ollama.answer(body))
      connection.end()
    }
    await withVendor(play, async (url, vendor) => {
      const provider = openAiWire.connect(url, { limits })
      expect((await listen(provider, model)).failure).toMatchObject({ reason: "misconfigured" })
      angry = false
      isWhole(await listen(provider, model), ollama)
      expect(missing(vendor)).toEqual([])
    })
  })

  it.each([
    [
      "for a prompt beyond the window",
      "'max_tokens' is too large: 1000. This model's maximum context length is 2048 tokens.",
      "contextTokens"
    ],
    ["for its value", "Invalid max_tokens value, the valid range of max_tokens is [1, 500]", "max_tokens"],
    ["for its value, in other words", "max_tokens must be less than or equal to 500", "max_tokens"]
  ])(
    "is left in place where it is named %s: an output limit that one request lost, all would",
    async (_, message, fault) => {
      let tooLong = true
      const play: Play = async (connection, { body }) => {
        const refusal = answered("400 Bad Request", {
          error: { message, type: "BadRequestError", param: "max_tokens" }
        })
        await connection.write(tooLong && has(body, "max_tokens") ? refusal : ollama.answer(body))
        connection.end()
      }
      await withVendor(play, async (url, vendor) => {
        const provider = openAiWire.connect(url, { limits })
        expect((await listen(provider, model)).failure).toMatchObject({
          reason: "misconfigured",
          fault: expect.stringContaining(fault)
        })
        tooLong = false
        isWhole(await listen(provider, model), ollama)
        expect(vendor.requests.at(-1)?.body).toMatchObject({ max_tokens: 1_000 })
      })
    }
  )

  it("is left out if the catalog says so, independent of what another model of the catalog learned about the same vendor model", async () => {
    await withVendor(playing(refusing(["max_tokens"], named)), async (url, vendor) => {
      const provider = openAiWire.connect(url, { limits })
      isWhole(await listen(provider, { ...model, id: "thinking" }), ollama)
      expect(missing(vendor)).toEqual(["max_tokens"])
      isWhole(await listen(provider, { ...model, id: "quick", omitParameters: ["reasoning_effort"] }), ollama)
      expect(missing(vendor).toSorted()).toEqual(["max_tokens", "reasoning_effort"])
    })
  })

  it("is one model's own: others at the same endpoint are asked in full", async () => {
    const play: Play = async (connection, { body }) => {
      const refused = body["model"] === "small" && has(body, "reasoning_effort")
      await connection.write(refused ? named("reasoning_effort") : ollama.answer(body))
      connection.end()
    }
    await withVendor(play, async (url, vendor) => {
      const provider = openAiWire.connect(url, { limits })
      isWhole(await listen(provider, { ...model, vendorModel: "small" }), ollama)
      expect(missing(vendor)).toEqual(["reasoning_effort"])
      isWhole(await listen(provider, model), ollama)
      expect(missing(vendor)).toEqual([])
    })
  })

  it("is logged for the operator once, with its name and the setting, without the vendor's text", async () => {
    const lines = await logOf(async (listening) => {
      await withVendor(playing(refusing(["stream_options"], named)), async (url) => {
        const provider = openAiWire.connect(url, { limits })
        await listening(provider, model)
        await listening(provider, model)
      })
    })
    const warnings = lines.filter((line) => line.includes("stream_options"))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`models.${model.id}.omitParameters`)
    expect(lines.join("\n")).not.toContain("vendor text")
  })

  it("is no reason to ask again once the model has answered: what it refuses then is what was said", async () => {
    let angry = false
    const play: Play = async (connection, { body }) => {
      await connection.write(angry ? answered("400 Bad Request", "") : ollama.answer(body))
      connection.end()
    }
    await withVendor(play, async (url, vendor) => {
      const provider = openAiWire.connect(url, { limits })
      isWhole(await listen(provider, model), ollama)
      angry = true
      expect((await listen(provider, model)).failure).toMatchObject({ reason: "refused" })
      expect(vendor.requests).toHaveLength(2)
    })
  })
})

describe("a reply in one piece", () => {
  const whole = (choice: object, more: object = told(7, 2)) =>
    answered("200 OK", { id: "1", object: "chat.completion", choices: [{ index: 0, ...choice }], ...more })
  const hear = (answer: string) =>
    withVendor(always(answer), (url) => listen(openAiWire.connect(url, { limits }), model))

  it("is a reply: its words, its end, its usage", async () => {
    const heard = await hear(whole({ message: { role: "assistant", content: "Hi there" }, finish_reason: "length" }))
    expect(heard).toMatchObject({ text: "Hi there", failure: undefined })
    expect(heard.parts.at(-1)).toMatchObject({ reason: "length", usage: { freshInput: 7, output: 2 } })
  })

  it("is asked for where a model streams nothing, and may be silent for as long as a reply may take", async () => {
    const { promise: late, resolve: goOn } = Promise.withResolvers<void>()
    const play: Play = async (connection, { body }) => {
      await late
      const answer = whole({ message: { content: "Hi" }, finish_reason: "stop" })
      await connection.write(has(body, "stream") ? named("stream") : answer)
      connection.end()
    }
    await withVendor(play, async (url, vendor) => {
      const provider = openAiWire.connect(url, { limits: { ...limits, idleMs: 60_000, totalMs: 600_000 } })
      const heard = await listenWhile(provider, { ...model, omitParameters: ["stream"] }, async (pass) => {
        await vi.waitUntil(() => vendor.working === 1, { timeout: 60_000 })
        await pass("9 minutes")
        goOn()
      })
      expect(heard).toMatchObject({ text: "Hi" })
      expect(vendor.requests[0]?.body).not.toHaveProperty("stream_options")
    })
  })

  it.each([
    ["without an end", whole({ message: { content: "Hi" }, finish_reason: null }), "bad-answer"],
    ["without a choice", answered("200 OK", { choices: [] }), "bad-answer"],
    ["that breaks off", `${whole({ message: { content: "Hi" } }).slice(0, -9)}`, "bad-answer"],
    [
      "that was refused",
      whole({ message: { content: null, refusal: "vendor text" }, finish_reason: "stop" }),
      "refused"
    ],
    ["without a word", whole({ message: { content: "" }, finish_reason: "stop" }), "empty"],
    ["that is an error as a text", answered("200 OK", { error: "vendor text" }), "unavailable"]
  ])("%s is named", async (_, answer, reason) => {
    expect((await hear(answer)).failure).toMatchObject({ reason })
  })
})

describe("peculiarities of streams", () => {
  const hear = (...events: ReadonlyArray<string>) =>
    withVendor(always(streamed(...events)), (url) => listen(openAiWire.connect(url, { limits }), model))

  it.each(["data:[DONE]\n\n", "data:  [DONE]  \n\n", "", "data: [DONE]"])("ends of streams: %j", async (last) => {
    const heard = await hear(chunk({ content: "Hi" }), chunk({}, "stop"), last)
    expect(heard).toMatchObject({ text: "Hi", failure: undefined })
  })

  it.each(["stop", "eos", "eos_token", "stop_sequence", "end_turn"])("%s is a proper end", async (finish) => {
    expect((await hear(chunk({ content: "Hi" }, finish))).parts.at(-1)).toMatchObject({ reason: "completed" })
  })

  it("a reason to finish of null is none, as a word too; an end mark without one is no end", async () => {
    const heard = await hear(chunk({ content: "Hi" }, "null"), chunk({ content: "!" }), done)
    expect(heard).toMatchObject({ text: "Hi!", failure: { reason: "cut-off" } })
  })

  it("usage reported with every chunk is that of the last one; zeros in the first one are harmless", async () => {
    const heard = await hear(
      chunk({ content: "Hi" }, null, told(0, 0)),
      chunk({ content: "!" }, null, told(9, 1)),
      chunk({}, "stop", told(9, 2))
    )
    expect(heard.parts.at(-1)).toMatchObject({ usage: { freshInput: 9, output: 2 } })
  })
})

describe("Azure's addresses", () => {
  afterEach(() => vi.unstubAllGlobals())

  const requestTo = async (baseUrl: string): Promise<Request> => {
    const asked: Array<Request> = []
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
      asked.push(new Request(url, init))
      return Promise.resolve(Response.json({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] }))
    })
    const provider = new OpenAiChatModel({ apiKey: Redacted.make("azure-key"), baseUrl })
    expect(await listen(provider, model)).toMatchObject({ text: "Hi", failure: undefined })
    return asked[0] as Request
  }

  it.each([
    ["https://r.openai.azure.com/openai/v1", "https://r.openai.azure.com/openai/v1/chat/completions"],
    ["https://r.services.ai.azure.com/openai/v1/", "https://r.services.ai.azure.com/openai/v1/chat/completions"],
    [
      "https://r.cognitiveservices.azure.com/openai/deployments/gpt?api-version=2024-10-21",
      "https://r.cognitiveservices.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21"
    ]
  ])("%s gets its key in its own header, and the newer limit alone", async (baseUrl, expected) => {
    const request = await requestTo(baseUrl)
    expect(request.url).toBe(expected)
    expect([request.headers.get("api-key"), request.headers.get("authorization")]).toEqual(["azure-key", null])
    const body = (await request.json()) as Record<string, unknown>
    expect(body).toMatchObject({ max_completion_tokens: 1_000 })
    expect(body).not.toHaveProperty("max_tokens")
  })

  it("are not those of others", async () => {
    const request = await requestTo("https://openai.azure.com.example.org/v1")
    expect([request.headers.get("api-key"), request.headers.get("authorization")]).toEqual([null, "Bearer azure-key"])
    expect(await request.json()).toMatchObject({ max_tokens: 1_000, max_completion_tokens: 1_000 })
  })
})
