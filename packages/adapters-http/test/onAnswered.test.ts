import { instruments } from "@parley/core/adapter"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { type AnsweredRequest, parleyListener } from "../src/index.ts"
import { openRaw, rawPost } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const answered: Array<AnsweredRequest> = []
let server: TestServer
beforeAll(async () => {
  server = await startServer({ listener: parleyListener, app: { onAnswered: (each) => void answered.push(each) } })
})
afterAll(() => server.close())

/** The record of a request, once its response has ended. */
const recordOf = (holds: (each: AnsweredRequest) => boolean) =>
  vi.waitFor(() => {
    const found = answered.filter(holds)
    expect(found).toHaveLength(1)
    return found[0]!
  })

test("each request is reported once, with its route, person, status, times and bytes, and none of its texts", async () => {
  const id = crypto.randomUUID()
  const response = await server.fetch("/api/chats?search=secret", { user: "ann", headers: { "x-request-id": id } })
  const text = await response.text()
  const record = await recordOf(({ requestId }) => requestId === id)
  expect(record).toMatchObject({ method: "GET", route: "GET /api/chats", userId: "ann", status: 200, complete: true })
  expect(record.bytes).toBeGreaterThan(text.length)
  expect(record.firstByteMs).toBeGreaterThan(0)
  expect(record.durationMs).toBeGreaterThanOrEqual(record.firstByteMs ?? Infinity)
  expect(JSON.stringify(record)).not.toContain("secret")
})

test("a refused request names its route and no person, and an unknown path has no route", async () => {
  const ids = [crypto.randomUUID(), crypto.randomUUID()]
  await server.fetch("/api/chats", { headers: { "x-request-id": ids[0]! } })
  await server.fetch("/nowhere", { headers: { "x-request-id": ids[1]! } })
  expect(await recordOf(({ requestId }) => requestId === ids[0])).toMatchObject({
    route: "GET /api/chats",
    userId: undefined,
    status: 401
  })
  expect(await recordOf(({ requestId }) => requestId === ids[1])).toMatchObject({ route: undefined, status: 404 })
})

test("a reply whose reader leaves is reported as broken off, with what was sent of it", async () => {
  const id = crypto.randomUUID()
  const calling = server.model.nextCall()
  const raw = await openRaw(server.port)
  const headers = { cookie: await cookieFor("bob"), "content-type": "application/json", "x-request-id": id }
  const hello = JSON.stringify({ messages: [{ role: "user", content: "Hello?" }] })
  raw.socket.write(rawPost("/api/chat", headers, hello))
  const call = await calling
  call.say("Half of")
  await raw.until("Half of")
  raw.socket.destroy()
  const record = await recordOf(({ requestId }) => requestId === id)
  expect(record).toMatchObject({ route: "POST /api/chat", userId: "bob", status: 200, complete: false })
  expect(record.bytes).toBeGreaterThan("Half of".length)
})

test("a pipelined request whose turn never comes is reported and no longer active once the connection is gone", async () => {
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
  const active = instruments.httpActive.read()
  const calling = server.model.nextCall()
  const raw = await openRaw(server.port)
  const headers = { cookie: await cookieFor("bob"), "content-type": "application/json" }
  const hello = JSON.stringify({ messages: [{ role: "user", content: "Hello?" }] })
  const asked = [first, second].map((id) => rawPost("/api/chat", { ...headers, "x-request-id": id }, hello))
  raw.socket.write(asked.join(""))
  const call = await calling
  call.say("Half of")
  await raw.until("Half of")
  raw.socket.destroy()
  for (const id of [first, second]) {
    expect(await recordOf(({ requestId }) => requestId === id)).toMatchObject({ method: "POST", complete: false })
  }
  expect(instruments.httpActive.read()).toBe(active)
})

test("a person's request belongs to the trace that it names, and a visitor's does not", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  const ids = [crypto.randomUUID(), crypto.randomUUID()] as const
  const naming = (id: string) => ({ "x-request-id": id, traceparent: `00-${trace}-00f067aa0ba902b7-00` })
  await server.fetch("/api/chats", { user: "ann", headers: naming(ids[0]) })
  await server.fetch("/api/widget/config/none", { headers: naming(ids[1]) })
  expect((await recordOf(({ requestId }) => requestId === ids[0])).traceId).toBe(trace)
  const { route, traceId } = await recordOf(({ requestId }) => requestId === ids[1])
  expect(route).toBe("GET /api/widget/config/{publicKey}")
  expect(traceId).not.toBe(trace)
})
