import type { ReplyPart } from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw, rawPost } from "./support/openRaw.ts"
import { completed, text } from "./support/ScriptedModel.ts"
import { untilStill } from "./support/untilStill.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello?" }] }

let server: TestServer
beforeEach(async () => {
  server = await startServer({ app: { stalledReaderMs: 60_000 } })
})
afterEach(() => server.close())

/** A model that never ends: a reply is cut far beyond its limit. */
const endless = {
  config: {
    models: {
      "model-a-mini": { creditsPer1kOutput: 0, maxOutputTokens: 100_000_000, contextTokens: 200_000_000 }
    }
  }
}
const serveEndless = async () => {
  await server.close()
  server = await startServer({ app: { stalledReaderMs: 60_000 }, parley: endless })
}

const usage = async () => {
  const { transactions } = await server.parley.credits.history({ userId: ANN, limit: 50, offset: 0, type: "usage" })
  return transactions
}
const balance = () => server.parley.credits.balance(ANN)

const sendRaw = async (version = "1.1") => {
  const raw = await openRaw(server.port)
  const headers = { cookie: await cookieFor(ANN), "content-type": "application/json" }
  const request = rawPost("/api/chat", headers, JSON.stringify(hello))
  raw.socket.write(request.replace("HTTP/1.1", `HTTP/${version}`))
  return raw
}

describe("streaming", () => {
  test("a reader sees the first words before the last are written", async () => {
    const calling = server.model.nextCall()
    const responding = server.post("/api/chat", hello, ANN)
    const call = await calling
    call.say("First words, ")
    const response = await responding
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    expect(decoder.decode((await reader.read()).value)).toBe("First words, ")
    expect(await balance()).toMatchObject({ held: expect.any(Number) })
    expect((await balance()).held).toBeGreaterThan(0)

    call.say("last words.")
    expect(decoder.decode((await reader.read()).value)).toBe("last words.")
    call.complete()
    expect((await reader.read()).done).toBe(true)
    expect(await balance()).toMatchObject({ held: 0 })
    expect(await usage()).toMatchObject([{ receipt: { ended: "completed", estimated: false } }])
  })

  test("nothing is sent, not even a status, before the first words", async () => {
    const calling = server.model.nextCall()
    const raw = await sendRaw()
    const call = await calling
    expect(raw.received()).toBe("")
    call.say("Now")
    await raw.until("Now")
    expect(raw.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    call.complete()
    await raw.until("0\r\n\r\n")
    raw.socket.destroy()
  })

  test("the response ends only after the reply is settled", async () => {
    const response = await server.post("/api/chat", hello, ANN)
    await response.text()
    expect(await usage()).toHaveLength(1)
    expect(server.requests.size).toBeLessThanOrEqual(1)
  })

  test("a reader that falls behind holds back the model", async () => {
    await serveEndless()
    const piece = "x".repeat(16 * 1024)
    let produced = 0
    const parts = (count: number): ReplyPart => (count < 4_000 ? text(piece) : completed)
    server.model.answer = () =>
      Stream.unfold(0, (count: number) =>
        Effect.sync(() => {
          produced = count
          return count > 4_000 ? undefined : ([parts(count), count + 1] as const)
        })
      ).pipe(Stream.rechunk(1))
    const raw = await sendRaw()
    await raw.until("200 OK")
    raw.socket.pause()
    await untilStill(() => produced)
    expect(produced).toBeLessThan(2_000)
    raw.socket.resume()
    await raw.until("\r\n0\r\n\r\n")
    expect(produced).toBeGreaterThanOrEqual(4_000)
    raw.socket.destroy()
  })

  test("a reader that takes nothing for too long is cut off, and the model with it", async () => {
    const impatient = await startServer({ app: { stalledReaderMs: 50 }, parley: endless })
    const { promise: left, resolve } = Promise.withResolvers<void>()
    impatient.model.answer = () =>
      Stream.fromEffectRepeat(Effect.succeed(text("x".repeat(64 * 1024)))).pipe(
        Stream.rechunk(1),
        Stream.ensuring(Effect.sync(() => resolve()))
      )
    const raw = await openRaw(impatient.port)
    raw.socket.pause()
    const headers = { cookie: await cookieFor(ANN), "content-type": "application/json" }
    raw.socket.write(rawPost("/api/chat", headers, JSON.stringify(hello)))
    await left
    await impatient.requests.idle()
    raw.socket.resume()
    await raw.closed
    expect(raw.received()).not.toContain("\r\n0\r\n\r\n")
    expect(await impatient.parley.credits.balance(ANN)).toMatchObject({ held: 0 })
    await impatient.close()
  })
})

describe("failures", () => {
  test("a model that fails before its first words is 500; nothing is charged or stored", async () => {
    const calling = server.model.nextCall()
    const responding = server.post("/api/chat", hello, ANN)
    ;(await calling).fail("unavailable")
    const problem = await expectProblem(await responding, 500, "provider_unavailable")
    expect(problem).toMatchObject({ reason: "unavailable", model: "model-a-mini" })
    expect(await balance()).toMatchObject({ held: 0, available: 100 })
    expect(await server.parley.chat.list({ userId: ANN, limit: 50, offset: 0 })).toMatchObject({ total: 0 })
  })

  test("an empty reply is 500 and not charged", async () => {
    server.model.answer = () => Stream.make(completed)
    await expectProblem(await server.post("/api/chat", hello, ANN), 500, "model_failed")
    expect(await balance()).toMatchObject({ held: 0, available: 100 })
  })

  test.each([
    ["HTTP/1.1", "1.1"],
    ["HTTP/1.0", "1.0"]
  ])("a model that fails half-way destroys the connection of an %s reader instead of ending it", async (_, version) => {
    const calling = server.model.nextCall()
    const raw = await sendRaw(version)
    const call = await calling
    call.say("Half of")
    await raw.until("Half of")
    call.fail("cut-off")
    const { reset } = await raw.closed
    expect(raw.received()).not.toContain("\r\n0\r\n\r\n")
    if (version === "1.0") expect(reset).toBe(true)
    await server.requests.idle()
    expect(await balance()).toMatchObject({ held: 0 })
    expect(await usage()).toMatchObject([{ receipt: { ended: "failed", estimated: true } }])
  })

  test("a stream without its end mark is a failure, not a short reply", async () => {
    server.model.answer = () => Stream.make(text("Almost"))
    const response = await server.post("/api/chat", hello, ANN)
    await expect(response.text()).rejects.toThrow()
    await server.requests.idle()
    expect(await usage()).toMatchObject([{ receipt: { ended: "failed" } }])
  })
})

describe("clients that leave", () => {
  test("before the first words: the model is stopped, the hold released, nothing stored", async () => {
    const calling = server.model.nextCall()
    const raw = await sendRaw()
    const call = await calling
    expect((await balance()).held).toBeGreaterThan(0)
    raw.socket.destroy()
    await call.left
    await server.requests.idle()
    expect(await balance()).toMatchObject({ held: 0, available: 100 })
    expect(await usage()).toEqual([])
    expect(await server.parley.chat.list({ userId: ANN, limit: 50, offset: 0 })).toMatchObject({ total: 0 })
  })

  test("half-way: the model is stopped, what was delivered is charged and kept", async () => {
    const calling = server.model.nextCall()
    const raw = await sendRaw()
    const call = await calling
    call.say("Half of")
    await raw.until("Half of")
    raw.socket.destroy()
    await call.left
    await server.requests.idle()
    expect(await balance()).toMatchObject({ held: 0, available: 99 })
    expect(await usage()).toMatchObject([{ receipt: { ended: "stopped", estimated: true } }])
    const { chats } = await server.parley.chat.list({ userId: ANN, limit: 1, offset: 0 })
    const { messages } = await server.parley.chat.get(ANN, chats[0]?.id ?? "")
    expect(messages[1]).toMatchObject({ content: "Half of", state: "stopped" })
  })

  test("while reading nothing: the model is stopped and the hold settled", async () => {
    await serveEndless()
    let left = false
    let produced = 0
    const piece = text("x".repeat(64 * 1024))
    const next = Effect.sync(() => {
      produced++
      return piece
    })
    server.model.answer = () =>
      Stream.fromEffectRepeat(next).pipe(
        Stream.rechunk(1),
        Stream.ensuring(
          Effect.sync(() => {
            left = true
          })
        )
      )
    const raw = await sendRaw()
    await raw.until("200 OK")
    raw.socket.pause()
    await untilStill(() => produced)
    raw.socket.destroy()
    await server.requests.idle()
    expect(left).toBe(true)
    expect(await balance()).toMatchObject({ held: 0 })
  })

  test("with a second request in the pipe: both are settled", async () => {
    const calls: Array<string> = []
    server.model.answer = () =>
      Stream.concat(Stream.make(text("words")), Stream.never).pipe(
        Stream.ensuring(Effect.sync(() => void calls.push("left")))
      )
    const raw = await openRaw(server.port)
    const headers = { cookie: await cookieFor(ANN), "content-type": "application/json" }
    const request = rawPost("/api/chat", headers, JSON.stringify({ ...hello }))
    await server.parley.credits.balance(ANN)
    await server.parley.credits.grant({ userId: ANN, amount: 1_000, key: "plenty" })
    raw.socket.write(request + request)
    await raw.until("words")
    raw.socket.destroy()
    await server.requests.idle()
    expect(await balance()).toMatchObject({ held: 0 })
    expect(calls.length).toBe(server.model.requests)
  })
})
