import type { ModelFailure } from "@parley/core/adapter"
import { Effect, Fiber, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { Play } from "./FakeVendor.ts"
import { type Heard, listen, withVendor } from "./listen.ts"
import { anthropicWire, chunked, chunkedHead, head, lastChunk, type Wire, wires } from "./wires.ts"

/** Characters of two, three and four bytes, so that a cut may fall within each. */
const words = ["Größe", " 世界", " 👩‍🚀!"]
const said = words.join("")

const deltasOf = (wire: Wire) => wire.start + words.map(wire.delta).join("")
const wholeOf = (wire: Wire) => deltasOf(wire) + wire.end("completed", { input: 9, output: 3 })

const sending =
  (...pieces: ReadonlyArray<string | Uint8Array>): Play =>
  async (connection) => {
    for (const piece of pieces) await connection.write(piece)
    connection.end()
  }

const heard = (wire: Wire, play: Play, limits = {}): Promise<Heard> =>
  withVendor(play, (url) => listen(wire.connect(url, { limits: { afterEndMs: 500, ...limits } }), wire.model))

const isComplete = ({ failure, parts, text }: Heard) => {
  expect(failure).toBeUndefined()
  expect(text).toBe(said)
  expect(parts.at(-1)).toMatchObject({ _tag: "end", reason: "completed", usage: { freshInput: 9, output: 3 } })
}

const failsAs = ({ failure, parts }: Heard, reason: ModelFailure) => {
  expect(failure).toMatchObject({ _tag: "ModelFailed", reason })
  expect(parts.some((part) => part._tag === "end")).toBe(false)
}

/** Runs checks over many positions, a few at once. */
const everywhere = async (length: number, check: (position: number) => Promise<void>): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < length) await check(next++)
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

describe.each(wires)("$name", (wire) => {
  it("is complete where the vendor says all it has to say, framed or not", async () => {
    isComplete(await heard(wire, sending(head() + wholeOf(wire))))
    isComplete(await heard(wire, sending(chunkedHead + chunked(wholeOf(wire)) + lastChunk)))
  })

  it("is complete however the bytes are cut, within characters too", { timeout: 120_000 }, async () => {
    const bytes = Buffer.from(head() + wholeOf(wire))
    const play =
      (at: number): Play =>
      async (connection) => {
        await connection.write(bytes.subarray(0, at))
        await new Promise((resolve) => setTimeout(resolve, 6))
        await connection.write(bytes.subarray(at))
        connection.end()
      }
    await everywhere(bytes.length, async (at) => isComplete(await heard(wire, play(at))))
  })

  it("is complete when every byte comes alone", async () => {
    const play: Play = async (connection) => {
      for (const byte of Buffer.from(chunkedHead + chunked(wholeOf(wire)) + lastChunk)) {
        await connection.write(Uint8Array.of(byte))
        await new Promise(setImmediate)
      }
      connection.end()
    }
    isComplete(await heard(wire, play))
  })

  describe("a connection that closes or breaks at any byte", { timeout: 120_000 }, () => {
    const prefix = Buffer.byteLength(head())
    const body = Buffer.from(wholeOf(wire))
    const endMark = wire.name === "openai" ? '"finish_reason":"stop"' : '{"type":"message_stop"}'
    // The event is complete with the empty line behind it.
    const complete = body.indexOf("\n\n", body.indexOf(endMark)) + 2

    const cutting =
      (how: "end" | "reset", at: number): Play =>
      async (connection) => {
        await connection.write(Buffer.concat([Buffer.from(head()), body]).subarray(0, prefix + at))
        if (how === "reset") await new Promise((resolve) => setTimeout(resolve, 5))
        connection[how]()
      }
    const check = (how: "end" | "reset") => async (at: number) => {
      const result = await heard(wire, cutting(how, at))
      expect(said.startsWith(result.text)).toBe(true)
      if (at < complete) return failsAs(result, "cut-off")
      expect(result).toMatchObject({ text: said, failure: undefined })
    }

    it("is cut off unless the end mark came before: closed", () => everywhere(body.length, check("end")))
    it("is cut off unless the end mark came before: reset", () => everywhere(body.length, check("reset")))

    it("is unavailable where not even the head of the answer came", async () => {
      await everywhere(prefix - 4, async (at) => {
        const play: Play = async (connection) => {
          await connection.write(head().slice(0, at))
          connection.reset()
        }
        failsAs(await heard(wire, play), "unavailable")
      })
    })

    it("is cut off where the framing says that more should have come", async () => {
      const framed = chunkedHead + chunked(deltasOf(wire))
      for (const rest of ["", "5", "5\r\n", "ff\r\nda", "zz\r\n"])
        failsAs(await heard(wire, sending(framed + rest)), "cut-off")
    })
  })

  it.each<readonly [string, string, ModelFailure]>([
    [
      "a page of HTML with status 200",
      `${head("200 OK", { "content-type": "text/html" })}<html>Hi</html>`,
      "bad-answer"
    ],
    ["a JSON answer that is no stream", `${head("200 OK", { "content-type": "application/json" })}{}`, "bad-answer"],
    ["an empty body", head(), "cut-off"],
    ["an empty framed body", chunkedHead + lastChunk, "cut-off"],
    ["HTML that calls itself a stream", `${head()}<html>\n<p>Hi</p>\n\n</html>`, "cut-off"],
    ["half an event", head() + deltasOf(wire) + wire.delta("x").slice(0, -12), "cut-off"],
    ["an event that is not JSON", `${head() + deltasOf(wire)}data: {"type": "con\n\n${wholeOf(wire)}`, "bad-answer"],
    ["an event that is no object", `${head() + deltasOf(wire)}data: [1]\n\n${wholeOf(wire)}`, "bad-answer"],
    ["an event without end", `${head()}data: ${"x".repeat(1_100_000)}`, "bad-answer"],
    ["a refusal", head() + deltasOf(wire) + wire.end("refused", { input: 1, output: 1 }), "refused"],
    ["a refusal within", head() + deltasOf(wire) + wire.failure("refused"), "refused"],
    ["an overload within", head() + deltasOf(wire) + wire.failure("overloaded"), "unavailable"],
    ["a rate limit within", head() + deltasOf(wire) + wire.failure("rate-limited"), "rate-limited"],
    ["an answer that says nothing", head() + wire.start + wire.end("completed", { input: 1, output: 0 }), "empty"],
    ["no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n", "unavailable"],
    ["a redirect to nowhere", `${head("302 Found", { location: "http://127.0.0.1:9/" })}`, "misconfigured"]
  ])("has a name for %s", async (_, bytes, reason) => {
    failsAs(await heard(wire, sending(bytes)), reason)
  })

  it("has a name for bytes that are not UTF-8", async () => {
    const play = sending(head() + wire.start, Uint8Array.of(0x64, 0xff, 0xfe, 0x0a), wholeOf(wire))
    failsAs(await heard(wire, play), "bad-answer")
  })

  it.each<readonly [string, string, ModelFailure, boolean]>([
    ["400 Bad Request", "invalid_request_error", "refused", false],
    ["401 Unauthorized", "authentication_error", "misconfigured", false],
    ["402 Payment Required", "billing_error", "misconfigured", false],
    ["403 Forbidden", "permission_error", "misconfigured", false],
    ["404 Not Found", "not_found_error", "misconfigured", false],
    ["408 Request Timeout", "timeout_error", "unavailable", true],
    ["413 Content Too Large", "request_too_large", "refused", false],
    ["429 Too Many Requests", "rate_limit_error", "rate-limited", true],
    ["429 Too Many Requests", "insufficient_quota", "misconfigured", false],
    ["500 Internal Server Error", "api_error", "unavailable", true],
    ["502 Bad Gateway", "", "unavailable", true],
    ["503 Service Unavailable", "server_error", "unavailable", true],
    ["529 Overloaded", "overloaded_error", "unavailable", true]
  ])("names the status %s (%s), and whether it may pass", async (status, kind, reason, retryable) => {
    const body = kind === "" ? "<html>Bad gateway</html>" : wire.errorBody(kind)
    const result = await heard(wire, sending(head(status, { "content-type": "application/json" }) + body))
    failsAs(result, reason)
    expect(result.failure?.retryable).toBe(retryable)
  })

  it("shows nothing of the vendor's words, and nothing of the key", async () => {
    const body = wire.errorBody("authentication_error")
    const { failure } = await heard(
      wire,
      sending(head("401 Unauthorized", { "content-type": "application/json" }) + body)
    )
    expect(`${failure?.message} ${String(failure?.name)}`).not.toMatch(/vendor text|sk-test/)
  })

  it("delivers nothing that comes behind the end mark", async () => {
    const result = await heard(wire, sending(head() + wholeOf(wire) + wire.delta("more") + wholeOf(wire)))
    isComplete(result)
  })

  it.each([
    ["before the head", ""],
    ["behind the head", head()],
    ["within a delta", head() + deltasOf(wire) + wire.delta("x").slice(0, 20)],
    ["with an error status, before its body", head("500 Internal Server Error", { "content-length": "20" })]
  ])("stalls in silence %s, and leaves the vendor", async (_, bytes) => {
    const play: Play = async (connection) => {
      if (bytes !== "") await connection.write(bytes)
      await connection.gone
    }
    await withVendor(play, async (url, vendor) => {
      failsAs(await listen(wire.connect(url, { limits: { idleMs: 80 } }), wire.model), "stalled")
      await expect.poll(() => vendor.working, { timeout: 1_000 }).toBe(0)
    })
  })

  it("does not stall while the vendor gives signs of life, but does not wait for ever either", async () => {
    const play: Play = async (connection) => {
      await connection.write(head() + wire.start)
      for (;;) {
        await connection.write(wire.ping)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const start = performance.now()
    failsAs(await heard(wire, play, { idleMs: 500, totalMs: 900 }), "stalled")
    expect(performance.now() - start).toBeGreaterThan(850)
  })

  it("is complete though the vendor keeps the connection open behind its end", async () => {
    const play: Play = async (connection) => {
      await connection.write(chunkedHead + chunked(wholeOf(wire)))
      await connection.gone
    }
    isComplete(await heard(wire, play, { afterEndMs: 60 }))
  })

  it("tells the vendor within 100 ms that its reader has left", async () => {
    let goneAt = 0
    const play: Play = async (connection) => {
      await connection.write(head() + deltasOf(wire))
      await connection.gone
      goneAt = performance.now()
    }
    await withVendor(play, async (url) => {
      const request = { model: wire.model, messages: [{ role: "user" as const, content: "Hi" }], maxOutputTokens: 50 }
      const reading = Stream.runForEach(wire.connect(url).stream(request), () => Effect.void)
      const fiber = Effect.runFork(reading)
      await new Promise((resolve) => setTimeout(resolve, 150))
      const leftAt = performance.now()
      await Effect.runPromise(Fiber.interrupt(fiber))
      await expect.poll(() => goneAt, { timeout: 1_000, interval: 5 }).toBeGreaterThan(0)
      expect(goneAt - leftAt).toBeLessThan(100)
    })
  })
})

describe("a 400 of Anthropic", () => {
  const answerOf = (message: string) =>
    head("400 Bad Request", { "content-type": "application/json" }) +
    JSON.stringify({ type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" })

  it.each<readonly [string, ModelFailure, string | undefined]>([
    ["output_config.effort: Extra inputs are not permitted", "misconfigured", "the parameter output_config"],
    ["max_tokens: 8192 > 4096, which is the maximum allowed number", "misconfigured", "the parameter max_tokens"],
    ["prompt is too long: 210000 tokens > 200000 maximum", "misconfigured", "contextTokens"],
    ["Your credit balance is too low to access the Anthropic API.", "misconfigured", "credit"],
    ["Output blocked by content filtering policy", "refused", undefined],
    ["messages: vendor text", "refused", undefined]
  ])("about what is set wrongly is named: %s", async (message, reason, fault) => {
    const { failure } = await heard(anthropicWire, sending(answerOf(message)))
    expect(failure).toMatchObject({ reason, retryable: false })
    if (fault === undefined) expect(failure?.fault).toBeUndefined()
    else expect(failure?.fault).toContain(fault)
    expect(`${failure?.message} ${failure?.fault}`).not.toContain("vendor text")
  })

  it("in one piece is a reply, where a stream was asked for", async () => {
    const message = {
      type: "message",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Hi there" }
      ],
      stop_reason: "end_turn",
      usage: { input_tokens: 9, output_tokens: 3 }
    }
    const answer = head("200 OK", { "content-type": "application/json" }) + JSON.stringify(message)
    const { failure, parts, text } = await heard(anthropicWire, sending(answer))
    expect([failure, text]).toEqual([undefined, "Hi there"])
    expect(parts.at(-1)).toMatchObject({ _tag: "end", reason: "completed", usage: { freshInput: 9, output: 3 } })
  })
})
