import type { ModelFailure } from "@parley/core/adapter"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it, vi } from "vitest"
import type { Play, VendorConnection } from "./FakeVendor.ts"
import { deltasOf, failsAs, heard, isComplete, LIMITS, PATIENCE, said, sending, wholeOf } from "./hearing.ts"
import { listenWhile, untilRead, withVendor } from "./listen.ts"
import { anthropicWire, chunked, chunkedHead, head, lastChunk, wires } from "./wires.ts"

describe.each(wires)("$name", (wire) => {
  it("is complete where the vendor says all it has to say, framed or not", async () => {
    isComplete(await heard(wire, sending(head() + wholeOf(wire))))
    isComplete(await heard(wire, sending(chunkedHead + chunked(wholeOf(wire)) + lastChunk)))
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

  it("is cut off where the framing says that more should have come", async () => {
    const framed = chunkedHead + chunked(deltasOf(wire))
    for (const rest of ["", "5", "5\r\n", "ff\r\nda", "zz\r\n"])
      failsAs(await heard(wire, sending(framed + rest)), "cut-off")
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
      const silence = await listenWhile(wire.connect(url, { limits: LIMITS }), wire.model, async (pass) => {
        await vi.waitUntil(() => vendor.working === 1, PATIENCE)
        await untilRead()
        await pass("61 seconds")
      })
      failsAs(silence, "stalled")
      await vi.waitUntil(() => vendor.working === 0, PATIENCE)
    })
  })

  it("does not stall while the vendor sends comments, but has a total time limit", async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<VendorConnection>()
    const play: Play = async (connection) => {
      await connection.write(head() + wire.start)
      open(connection)
      await connection.gone
    }
    await withVendor(play, async (url, vendor) => {
      const limits = { ...LIMITS, totalMs: 10 * LIMITS.idleMs }
      const alive = await listenWhile(wire.connect(url, { limits }), wire.model, async (pass) => {
        const connection = await opened
        for (let passed = 0; passed < limits.totalMs; passed += 40_000) {
          expect(vendor.working, `after ${passed} ms`).toBe(1)
          await connection.write(wire.ping)
          await untilRead()
          await pass("40 seconds")
        }
      })
      failsAs(alive, "stalled")
    })
  })

  it("is complete though the vendor keeps the connection open behind its end", async () => {
    const play: Play = async (connection) => {
      await connection.write(chunkedHead + chunked(wholeOf(wire)))
      await connection.gone
    }
    await withVendor(play, async (url, vendor) => {
      const whole = await listenWhile(wire.connect(url, { limits: LIMITS }), wire.model, async (pass) => {
        await vi.waitUntil(() => vendor.working === 1, PATIENCE)
        await untilRead()
        await pass("51 seconds")
      })
      isComplete(whole)
    })
  })

  it("aborts the vendor's request at once when its reader leaves", async () => {
    const play: Play = async (connection) => {
      await connection.write(head() + deltasOf(wire))
      await connection.gone
    }
    await withVendor(play, async (url, vendor) => {
      const request = { model: wire.model, messages: [{ role: "user" as const, content: "Hi" }], maxOutputTokens: 50 }
      let text = ""
      const reading = Stream.runForEach(wire.connect(url).stream(request), (part) =>
        Effect.sync(() => (text += part._tag === "text-delta" ? part.text : ""))
      )
      const fiber = Effect.runFork(Effect.provide(reading, TestClock.layer()))
      await vi.waitUntil(() => text === said, PATIENCE)
      expect(vendor.working).toBe(1)
      await Effect.runPromise(Fiber.interrupt(fiber))
      await vi.waitUntil(() => vendor.working === 0, PATIENCE)
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
