import type { ChatMessage, Effort } from "@parley/core"
import { Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { alternatingTurns } from "../../src/alternatingTurns.ts"
import { anthropicUsage } from "../../src/anthropic/anthropicReader.ts"
import { OpenAiChatModel } from "../../src/index.ts"
import { openAiUsage } from "../../src/openai/openAiReader.ts"
import { makeEventDecoder } from "../../src/vendor/serverSentEvents.ts"
import { retryAfterMs } from "../../src/vendor/vendorFailure.ts"
import type { Play } from "./FakeVendor.ts"
import { listen, withVendor } from "./listen.ts"
import { anthropicWire, head, openAiWire, type Wire } from "./wires.ts"

const conversation: ReadonlyArray<ChatMessage> = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi" },
  { role: "system", content: "Be polite." },
  { role: "user", content: "passages" },
  { role: "user", content: "question" }
]

/** Two questions with images, one after the other as when passages stand between. */
const image = (byte: number) => ({
  id: crypto.randomUUID(),
  mediaType: "image/png" as const,
  width: 1,
  height: 1,
  bytes: new Uint8Array([byte, 255])
})
const pictured: ReadonlyArray<ChatMessage> = [
  { role: "user", content: "passages" },
  { role: "user", content: "one", images: [image(1)] },
  { role: "assistant", content: "Hi" },
  { role: "user", content: "two", images: [image(2), image(3)] }
]

/** A conversation that begins with a message of an image alone. */
const wordless: ReadonlyArray<ChatMessage> = [
  { role: "user", content: "", images: [image(1)] },
  { role: "assistant", content: "Hi" },
  { role: "user", content: "question" }
]

const answering =
  (wire: Wire): Play =>
  async (connection) => {
    await connection.write(head() + wire.start + wire.delta("Hi") + wire.end("completed", { input: 1, output: 1 }))
    connection.end()
  }

const requestOf = (wire: Wire, messages = conversation) =>
  withVendor(answering(wire), async (url, vendor) => {
    await listen(wire.connect(url), wire.model, messages, 77)
    return vendor.requests[0]
  })

describe("a request to OpenAI", () => {
  it("has the vendor's model, all messages in order, the output limit, and asks for usage", async () => {
    const request = await requestOf(openAiWire)
    expect(request).toMatchObject({ method: "POST", path: "/v1/chat/completions" })
    expect(request?.headers["authorization"]).toBe("Bearer sk-test-secret")
    expect(request?.body).toMatchObject({
      model: openAiWire.model.vendorModel,
      messages: conversation,
      max_completion_tokens: 77,
      stream: true,
      stream_options: { include_usage: true }
    })
  })

  it("has the images of a question before its text", async () => {
    const url = (base64: string) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } })
    expect((await requestOf(openAiWire, pictured))?.body).toMatchObject({
      messages: [
        { role: "user", content: "passages" },
        { role: "user", content: [url("Af8="), { type: "text", text: "one" }] },
        { role: "assistant", content: "Hi" },
        { role: "user", content: [url("Av8="), url("A/8="), { type: "text", text: "two" }] }
      ]
    })
  })

  it("has no text of a message of images alone", async () => {
    const url = (base64: string) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } })
    expect((await requestOf(openAiWire, wordless))?.body).toMatchObject({
      messages: [
        { role: "user", content: [url("Af8=")] },
        { role: "assistant", content: "Hi" },
        { role: "user", content: "question" }
      ]
    })
  })

  it("sends the limit in the older field too to servers that may not know the newer one", async () => {
    expect((await requestOf(openAiWire))?.body).toMatchObject({ max_tokens: 77, max_completion_tokens: 77 })
  })

  it("does not show its key", () => {
    const model = new OpenAiChatModel({ apiKey: Redacted.make("sk-very-secret") })
    expect(JSON.stringify(model) + String(model)).not.toContain("sk-very-secret")
  })
})

describe("a request to Anthropic", () => {
  it("has the images of a question before its text, also if it is joined with the passages", async () => {
    const source = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })
    expect((await requestOf(anthropicWire, pictured))?.body).toMatchObject({
      messages: [
        { role: "user", content: [source("Af8="), { type: "text", text: "passages\n\none" }] },
        { role: "assistant", content: [{ type: "text", text: "Hi" }] },
        { role: "user", content: [source("Av8="), source("A/8="), { type: "text", text: "two" }] }
      ]
    })
  })

  it("has no text of a message of images alone", async () => {
    const source = { type: "base64", media_type: "image/png", data: "Af8=" }
    expect((await requestOf(anthropicWire, wordless))?.body).toMatchObject({
      messages: [
        { role: "user", content: [{ type: "image", source }] },
        { role: "assistant", content: [{ type: "text", text: "Hi" }] },
        { role: "user", content: "question" }
      ]
    })
  })

  it("has the system's words apart, roles in turn, and the output limit", async () => {
    const request = await requestOf(anthropicWire)
    expect(request).toMatchObject({ method: "POST", path: "/v1/messages" })
    expect(request?.headers["authorization"]).toBe("Bearer sk-test-secret")
    expect(request?.headers["anthropic-version"]).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(request?.body).toEqual({
      model: anthropicWire.model.vendorModel,
      system: [{ type: "text", text: "Be brief.\n\nBe polite.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] },
        { role: "user", content: "passages\n\nquestion" }
      ],
      max_tokens: 77,
      output_config: { effort: "low" },
      stream: true
    })
  })

  it("says in the vendor's words how much the model may think, and nothing where that is left to the vendor", async () => {
    const asking = (wire: Wire, effort: Effort | undefined) =>
      withVendor(answering(wire), async (url, vendor) => {
        const { effort: _, ...model } = wire.model
        await listen(wire.connect(url), effort === undefined ? model : { ...model, effort })
        return vendor.requests[0]?.body
      })
    expect(await asking(openAiWire, "none")).toMatchObject({ reasoning_effort: "none" })
    expect(await asking(openAiWire, undefined)).not.toHaveProperty("reasoning_effort")
    expect(await asking(anthropicWire, "none")).toMatchObject({ thinking: { type: "between_tools" } })
    expect(await asking(anthropicWire, "high")).toMatchObject({ output_config: { effort: "high" } })
    expect(await asking(anthropicWire, undefined)).not.toHaveProperty("output_config")
  })

  it("begins with the user, alternates, has no blank message and loses no word", () => {
    const message = fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
      content: fc.string()
    })
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const { system, turns } = alternatingTurns(messages)
        turns.forEach((turn, index) => expect(turn.role).toBe(index % 2 === 0 ? "user" : "assistant"))
        expect(turns.every((turn) => turn.content.trim() !== "")).toBe(true)
        for (const { content, role } of messages) {
          if (content.trim() === "") continue
          const places = role === "system" ? [system] : turns.map((turn) => turn.content)
          expect(places.some((place) => place.includes(content))).toBe(true)
        }
      })
    )
  })
})

describe("usage", () => {
  it("of OpenAI counts cached tokens within the prompt, which are taken out", () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 15 },
      completion_tokens_details: { reasoning_tokens: 12 }
    }
    expect(openAiUsage(usage)).toEqual({ freshInput: 25, cacheRead: 60, cacheWrite: 15, output: 20 })
  })

  it("of Anthropic counts cached tokens beside the input", () => {
    const usage = {
      input_tokens: 25,
      output_tokens: 20,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 15
    }
    expect(anthropicUsage(usage)).toEqual({ freshInput: 25, cacheRead: 60, cacheWrite: 15, output: 20 })
  })

  it("that is implausible counts as not reported", () => {
    expect(openAiUsage({})).toBeUndefined()
    expect(openAiUsage({ prompt_tokens: -1, completion_tokens: 2 })).toBeUndefined()
    expect(openAiUsage({ prompt_tokens: 1.5, completion_tokens: 2 })).toBeUndefined()
    const impossible = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 6 } }
    expect(openAiUsage(impossible)).toBeUndefined()
    expect(anthropicUsage({ input_tokens: "5", output_tokens: 1 })).toBeUndefined()
    expect(anthropicUsage({ input_tokens: 5, output_tokens: null })).toBeUndefined()
  })

  it("of Anthropic that comes in parts is put together, the later count winning", async () => {
    const delta = `data: ${JSON.stringify({
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: null, cache_read_input_tokens: 4, output_tokens: 6 }
    })}\n\n`
    const play: Play = async (connection) => {
      const stop = 'data: {"type":"message_stop"}\n\n'
      await connection.write(head() + anthropicWire.start + anthropicWire.delta("Hi") + delta + stop)
      connection.end()
    }
    await withVendor(play, async (url) => {
      const { parts } = await listen(anthropicWire.connect(url), anthropicWire.model)
      expect(parts.at(-1)).toMatchObject({ usage: { freshInput: 9, cacheRead: 4, cacheWrite: 0, output: 6 } })
    })
  })

  it("of Anthropic's first event does not count the output: without a later count, none is reported", async () => {
    const end = 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\ndata: {"type":"message_stop"}\n\n'
    const play: Play = async (connection) => {
      await connection.write(head() + anthropicWire.start + anthropicWire.delta("Hi") + end)
      connection.end()
    }
    await withVendor(play, async (url) => {
      const { parts } = await listen(anthropicWire.connect(url), anthropicWire.model)
      expect(parts[0]).toEqual({ _tag: "input-usage", usage: { freshInput: 9, cacheRead: 0, cacheWrite: 0 } })
      expect(parts.at(-1)).toEqual({ _tag: "end", reason: "completed", usage: undefined })
    })
  })
})

describe("an event stream", () => {
  const event = fc.record({
    name: fc.constantFrom("", "message", "ping"),
    data: fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, " ").toWellFormed())
  })

  it("yields the same events for any cut of its bytes and any line ends", () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 8 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.constantFrom("", "\uFEFF"),
        (events, newline, places, mark) => {
          const lines = events.flatMap(({ data, name }) => [
            ": a comment",
            ...(name === "" ? [] : [`event: ${name}`]),
            `data: ${data}`,
            "id: 7",
            ""
          ])
          const bytes = Buffer.from(`${mark}${lines.join(newline)}${newline}: the end${newline}`)
          const cuts = [...new Set(places.map((place) => place % bytes.length))].toSorted((a, b) => a - b)
          const decoder = makeEventDecoder()
          const found = [0, ...cuts].flatMap((from, index) => decoder.feed(bytes.subarray(from, cuts[index])))
          expect(found.map(({ data, event }) => ({ name: event ?? "", data }))).toEqual(events)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("joins several lines of data, and leaves out an event that has not ended", () => {
    const decoder = makeEventDecoder()
    expect(decoder.feed(Buffer.from("data: a\ndata:b\n\ndata: c\n"))).toEqual([{ data: "a\nb" }])
  })

  it.each(["\n", "\r\n", "\r"])("is the same byte by byte, with lines that end in %j", (newline) => {
    const lines = [
      "\uFEFF: comment",
      "event: ping",
      "data: ä",
      "data:💡",
      "nobody: knows",
      "data",
      "",
      "data: b",
      "",
      ":"
    ]
    const bytes = Buffer.from(lines.join(newline))
    const decoder = makeEventDecoder()
    const found = Array.from(bytes, (_, index) => decoder.feed(bytes.subarray(index, index + 1))).flat()
    expect(found).toEqual([{ event: "ping", data: "ä\n💡\n" }, { data: "b" }])
  })

  it("is one: bytes that are not UTF-8 are none", () => {
    expect(() => makeEventDecoder().feed(Buffer.from([0x64, 0x61, 0xff]))).toThrow("not UTF-8")
  })
})

describe("the wait a vendor asks for", () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0)
  it.each<readonly [Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "999999999" }, 86_400_000],
    [{ "retry-after-ms": "1e300" }, 86_400_000],
    [{ "retry-after": "Fri, 20 Nov 9999 12:00:30 GMT" }, 86_400_000],
    [{ "retry-after": "-5" }, undefined]
  ])("is read from %j", (headers, expected) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(expected)
  })
})
