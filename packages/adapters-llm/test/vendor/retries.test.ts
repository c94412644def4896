import { describe, expect, it } from "vitest"
import { instruments } from "@parley/core/adapter"
import type { Play } from "./FakeVendor.ts"
import { listen, logOf, withVendor } from "./listen.ts"
import { head, type Wire, wires } from "./wires.ts"

const failing =
  (wire: Wire, status: string, headers: Readonly<Record<string, string>> = {}, kind = "x"): Play =>
  async (connection) => {
    await connection.write(head(status, { "content-type": "application/json", ...headers }) + wire.errorBody(kind))
    connection.end()
  }

const speaking =
  (wire: Wire, last: string): Play =>
  async (connection) => {
    await connection.write(head() + wire.start + wire.delta("Hello") + last)
    connection.end()
  }

/** The first play for the first request, and so on; the last one for all further ones. */
const inTurn = (...plays: ReadonlyArray<Play>): Play => {
  let request = 0
  return (connection, asked) => (plays[Math.min(request++, plays.length - 1)] as Play)(connection, asked)
}

const retry = { retries: 2, baseDelayMs: 1, maxDelayMs: 200 }
const overloaded = "503 Service Unavailable"

describe.each(wires)("$name", (wire) => {
  const whole = speaking(wire, wire.end("completed", { input: 1, output: 1 }))
  const ask = (play: Play, policy = retry) =>
    withVendor(play, async (url, vendor) => {
      const start = performance.now()
      const heard = await listen(wire.connect(url, { retry: policy }), wire.model)
      return { ...heard, requests: vendor.requests.length, took: performance.now() - start }
    })

  it("is asked again while nothing was said and the failure may pass", async () => {
    expect(await ask(inTurn(failing(wire, overloaded), failing(wire, "500 x"), whole))).toMatchObject({
      text: "Hello",
      failure: undefined,
      requests: 3
    })
  })

  it("is asked no more often than the policy says: the SDK adds no calls of its own", async () => {
    expect(await ask(failing(wire, overloaded))).toMatchObject({ failure: { reason: "unavailable" }, requests: 3 })
    const once = { ...retry, retries: 0 }
    expect(await ask(failing(wire, "429 Too Many Requests"), once)).toMatchObject({ requests: 1 })
    expect(await ask(failing(wire, "529 Overloaded"), once)).toMatchObject({ requests: 1 })
  })

  it("is asked again after a connection that broke before the first words", async () => {
    const breaking: Play = async (connection) => {
      await connection.write(head() + wire.start)
      connection.end()
    }
    expect(await ask(inTurn(breaking, whole))).toMatchObject({ text: "Hello", failure: undefined, requests: 2 })
  })

  it("is never asked again once words were delivered", async () => {
    expect(await ask(speaking(wire, ""))).toMatchObject({ text: "Hello", failure: { reason: "cut-off" }, requests: 1 })
    expect(await ask(speaking(wire, wire.failure("overloaded")))).toMatchObject({ text: "Hello", requests: 1 })
  })

  it("is not asked again for what would fail again, nor for an empty answer it was paid for", async () => {
    const refusing = failing(wire, "400 Bad Request", {}, "content_filter")
    expect(await ask(refusing)).toMatchObject({ failure: { reason: "refused" }, requests: 1 })
    expect(await ask(failing(wire, "401 Unauthorized"))).toMatchObject({ requests: 1 })
    const empty: Play = async (connection) => {
      await connection.write(head() + wire.start + wire.end("completed", { input: 1, output: 0 }))
      connection.end()
    }
    expect(await ask(empty)).toMatchObject({ failure: { reason: "empty" }, requests: 1 })
  })

  it("is given the time it asks for", async () => {
    const limited = failing(wire, "429 Too Many Requests", { "retry-after-ms": "120" })
    const heard = await ask(inTurn(limited, whole))
    expect(heard).toMatchObject({ text: "Hello", requests: 2 })
    expect(heard.took).toBeGreaterThan(115)
  })

  it("is not awaited longer than the policy allows; the failure names its wait", async () => {
    const heard = await ask(failing(wire, "429 Too Many Requests", { "retry-after": "30" }))
    expect(heard).toMatchObject({ failure: { reason: "rate-limited", retryAfterMs: 30_000 }, requests: 1 })
  })

  it("that cannot be reached fails with the system's code, not as a failed model", async () => {
    const url = await withVendor(whole, (address) => Promise.resolve(address))
    const lines = await logOf(async (listening) => {
      const heard = await listening(wire.connect(url, { retry: { ...retry, retries: 1 } }), wire.model)
      expect(heard.failure).toMatchObject({ reason: "unavailable" })
    })
    expect(lines).toEqual([expect.stringContaining('"cause":"ECONNREFUSED"')])
    expect(lines[0]).toContain("A model was not reached")
  })

  it("counts its retries by vendor, model and reason", async () => {
    const labels = { vendor: wire.name, model: wire.model.id, reason: "rate-limited" }
    const count = () => instruments.vendorRetries.read(labels)
    const before = count()
    await ask(inTurn(failing(wire, "429 Too Many Requests"), whole))
    expect(count()).toBe(before + 1)
  })
})
