import { gzipSync } from "node:zlib"
import { describe, expect, it, vi } from "vitest"
import { maxReplyBytes } from "../../src/vendor/readEventStream.ts"
import { makeEventDecoder } from "../../src/vendor/serverSentEvents.ts"
import type { Play } from "./FakeVendor.ts"
import { type Heard, listen, listenWhile, untilRead, withVendor } from "./listen.ts"
import { head, openAiWire, type Wire, type WireOptions, wires } from "./wires.ts"

const MIB = 1024 * 1024
const LIMIT = 500

/** A busy machine may be late. */
const PATIENCE = { timeout: 60_000, interval: 5 }

/**
 * Reads a vendor that repeats a piece until it is disconnected; returns the result and the amount that the vendor
 * could write.
 */
const flood = async (wire: Wire, start: string, piece: string | Uint8Array, most = 64 * MIB) => {
  let sent = 0
  const play: Play = async (connection) => {
    await connection.write(head() + start)
    for (; sent < most; sent += piece.length) await connection.write(piece)
    connection.end()
  }
  const result = await withVendor(play, (url) => listen(wire.connect(url), wire.model, undefined, LIMIT))
  return { ...result, sent }
}

const isCut = ({ failure, parts, sent }: Heard & { readonly sent: number }) => {
  expect(failure).toMatchObject({ reason: "overlong", retryable: false })
  expect(parts.some((part) => part._tag === "end")).toBe(false)
  expect(sent).toBeLessThan(32 * MIB)
}

describe.each(wires)("an answer of $name", (wire) => {
  it("that goes on far beyond its output limit is left, and a cut is no end", async () => {
    const result = await flood(wire, wire.start, wire.delta("word ".repeat(12_000)))
    isCut(result)
    expect(result.text.length).toBeGreaterThan(0)
    // This bound is in bytes; the bound in tokens applies far sooner if words are delivered.
    expect(result.text.length).toBeLessThan(maxReplyBytes(LIMIT))
  })

  it("that comes in pieces smaller than tokens is counted in tokens", async () => {
    const words = Array.from({ length: 400 }, (_, index) => ` ${index}word`).join("")
    const play: Play = async (connection) => {
      const pieces = Array.from(words, (character) => wire.delta(character)).join("")
      await connection.write(head() + wire.start + pieces + wire.end("completed", { input: 9, output: 1_200 }))
      connection.end()
    }
    const heard = await withVendor(play, (url) => listen(wire.connect(url), wire.model, undefined, 1_250))
    expect(heard.failure).toBeUndefined()
    expect(heard.text).toBe(words)
    expect(words.length).toBeGreaterThan(1_250)
    expect(heard.parts.at(-1)).toMatchObject({ _tag: "end", reason: "completed", usage: { output: 1_200 } })
  })

  it.each([
    ["signs of life", ": OPENROUTER PROCESSING\n\n".repeat(2_000)],
    ["empty comments", ":\n".repeat(20_000)],
    ["blank lines", "\n".repeat(40_000)],
    ["fields nobody knows", "nobody: knows\n\n".repeat(2_000)]
  ])("that floods with %s is left", async (_, piece) => {
    isCut(await flood(wire, wire.start, piece))
  })

  it("that floods with events without words is left", async () => {
    isCut(await flood(wire, wire.start, wire.delta("").repeat(300)))
  })

  it("that is packed is bounded as it is unpacked", async () => {
    const packed = gzipSync(": keep-alive\n\n".repeat(5_000_000))
    const play: Play = async (connection) => {
      await connection.write(head("200 OK", { "content-encoding": "gzip" }))
      await connection.write(packed)
      connection.end()
    }
    const heard = await withVendor(play, (url) => listen(wire.connect(url), wire.model, undefined, LIMIT))
    expect(heard.failure).toMatchObject({ reason: "overlong" })
  })

  it.each(["plain", "gzip"])("that is an error is read up to a bound: %s", async (encoding) => {
    // A member of a gzip file may follow another one.
    const mebibyte = Buffer.alloc(MIB, "x")
    const piece = encoding === "gzip" ? gzipSync(Buffer.alloc(64 * MIB, "x")) : mebibyte
    const play: Play = async (connection) => {
      await connection.write(head("400 Bad Request", encoding === "gzip" ? { "content-encoding": "gzip" } : {}))
      for (let index = 0; index < 64; index++) await connection.write(piece)
      connection.end()
    }
    const before = process.memoryUsage()
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    const heard = await withVendor(play, (url) =>
      listen(wire.connect(url, { retry: { retries: 0 } }), wire.model)
    ).finally(() => clearInterval(watch))
    expect(heard.failure?.reason).toBe("refused")
    const { cause } = heard.failure as { readonly cause?: { readonly body?: unknown } }
    expect(String(cause?.body).length).toBeLessThanOrEqual(64 * 1024)
    expect(most - before.rss).toBeLessThan(512 * MIB)
  })

  it("goes nowhere else: no redirect is followed, and no key is shown there", async () => {
    const elsewhere: Play = async (connection) => connection.end()
    await withVendor(elsewhere, async (address, other) => {
      for (const status of ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"]) {
        const play: Play = async (connection) => {
          await connection.write(head(status, { location: `${address}/v1/chat/completions` }))
          connection.end()
        }
        const heard = await withVendor(play, (url) => listen(wire.connect(url), wire.model))
        expect(heard.failure).toMatchObject({ reason: "misconfigured", retryable: false })
        expect(heard.failure).toMatchObject({ fault: expect.stringContaining("base URL") })
      }
      expect(other.requests).toEqual([])
    })
  })
})

describe("connections to a vendor", () => {
  const wire = openAiWire

  /** Replies that go on until they are let go. */
  const holding = () => {
    let letGo = (): void => undefined
    const released = new Promise<void>((resolve) => (letGo = resolve))
    const play: Play = async (connection) => {
      await connection.write(head() + wire.start)
      await released
      await connection.write(wire.delta("Hi") + wire.end("completed", { input: 1, output: 1 }))
      connection.end()
    }
    return { play, letGo }
  }

  it("are bounded: the others wait their turn, and what is beyond the queue fails at once", async () => {
    const { letGo, play } = holding()
    await withVendor(play, async (url, vendor) => {
      const options: WireOptions = { connections: { open: 3, waiting: 5 } }
      const provider = wire.connect(url, options)
      const asked = Array.from({ length: 12 }, () => listen(provider, wire.model))
      const refused = await Promise.all([...asked].slice(8))
      for (const { failure } of refused) expect(failure).toMatchObject({ reason: "unavailable", retryable: false })
      await vi.waitUntil(() => vendor.working === 3, PATIENCE)
      letGo()
      const answered = await Promise.all(asked.slice(0, 8))
      expect(answered.map(({ text }) => text)).toEqual(Array.from({ length: 8 }, () => "Hi"))
      expect(vendor.mostAtOnce).toBe(3)
    })
  })

  it("are returned when a request is left, fails or times out", async () => {
    let silent = true
    const play: Play = async (connection) => {
      if (silent) return connection.gone
      await connection.write(head() + wire.start + wire.delta("Hi") + wire.end("completed", { input: 1, output: 1 }))
      connection.end()
    }
    await withVendor(play, async (url, vendor) => {
      const provider = wire.connect(url, { connections: { open: 1, waiting: 10 }, limits: { idleMs: 60_000 } })
      const silence = () =>
        listenWhile(provider, wire.model, async (pass) => {
          await vi.waitUntil(() => vendor.working === 1, PATIENCE)
          await pass("61 seconds")
        })
      const heard = await Promise.all(Array.from({ length: 4 }, silence))
      for (const { failure } of heard) expect(failure).toMatchObject({ reason: "stalled" })
      silent = false
      expect(await listen(provider, wire.model)).toMatchObject({ text: "Hi", failure: undefined })
    })
  })
})

describe("an event stream", () => {
  it("in tiny pieces is read in time that grows with its length, not with its square", () => {
    const decoder = makeEventDecoder()
    const piece = Buffer.from("x".repeat(64))
    const began = process.cpuUsage()
    decoder.feed(Buffer.from("data: "))
    for (let fed = 0; fed < 960_000; fed += piece.length) decoder.feed(piece)
    const events = decoder.feed(Buffer.from("\n\n"))
    const { system, user } = process.cpuUsage(began)
    expect(events.map(({ data }) => data.length)).toEqual([960_000])
    // Some 50 ms of the processor's time; with each piece looked at from the line's beginning, some 50 s.
    expect((user + system) / 1_000).toBeLessThan(10_000)
  })

  it("has no line without end, be it data or a comment", () => {
    for (const start of ["data: ", ": ", "x"]) {
      const decoder = makeEventDecoder()
      const feed = () => {
        decoder.feed(Buffer.from(start))
        for (let fed = 0; fed < 8 * MIB; fed += 65_536) decoder.feed(Buffer.alloc(65_536, "x"))
      }
      expect(feed).toThrow("no end")
    }
  })

  it.each(["\n", "\r\n", "\r"])("has no event of lines without end, with lines that end in %j", (newline) => {
    const decoder = makeEventDecoder()
    const piece = Buffer.from(`data: ${"x".repeat(100)}${newline}`.repeat(100))
    const feed = () => {
      for (let fed = 0; fed < 8 * MIB; fed += piece.length) decoder.feed(piece)
    }
    expect(feed).toThrow("no end")
  })
})

describe("one limit of time", () => {
  it.each(wires)("holds for all tries together: $name", async (wire) => {
    let breakOff = () => {}
    const play: Play = async (connection) => {
      await connection.write(head() + wire.start)
      breakOff = () => connection.end()
      await connection.gone
    }
    await withVendor(play, async (url, vendor) => {
      const limits = { idleMs: 60_000, totalMs: 90_000 }
      const provider = wire.connect(url, { limits, retry: { retries: 50, baseDelayMs: 1, maxDelayMs: 5 } })
      // In small steps, so that a try begins to be timed before its time has passed.
      const heard = await listenWhile(provider, wire.model, async (pass) => {
        await vi.waitUntil(() => vendor.requests.length === 1, PATIENCE)
        for (let passed = 0; passed <= limits.totalMs; passed += 500) {
          if (passed % 40_000 === 39_500) breakOff()
          await untilRead()
          await pass(500)
        }
      })
      expect(heard.failure).toMatchObject({ reason: "stalled" })
      // Each try breaks off after 40 s: the third has the rest of the total time, if it is sent in time.
      expect([2, 3]).toContain(vendor.requests.length)
    })
  })
})
