import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { setImmediate as nextRound } from "node:timers/promises"
import { runtimeOf } from "@parley/core/effect"
import { describe, expect, test, vi } from "vitest"
import { createHttpServer, parleyApp, RequestTracker, HmacSessionVerifier } from "../src/index.ts"
import { openRaw, rawPost } from "./support/openRaw.ts"
import { cookieFor, SECRET, startServer, type TestServer } from "./support/startServer.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello?" }] }

/** A second HTTP server over the same services, to be closed by the test. */
const serverOver = async ({ parley }: TestServer) => {
  const requests = new RequestTracker()
  const sessions = HmacSessionVerifier.make({ secret: SECRET })
  const server = createHttpServer(parleyApp({ runtime: runtimeOf(parley), sessions, requests }), { requests })
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 })
  return { server, port, requests }
}

const beginReply = async (services: TestServer, port: number) => {
  const calling = services.model.nextCall()
  const raw = await openRaw(port)
  const headers = { cookie: await cookieFor(ANN), "content-type": "application/json" }
  raw.socket.write(rawPost("/api/chat", headers, JSON.stringify(hello)))
  const call = await calling
  call.say("Half of")
  await raw.until("Half of")
  return { raw, call }
}

describe("closing the server", () => {
  test("lets a running reply finish, and takes no new connection meanwhile", async () => {
    const services = await startServer()
    const { server, port } = await serverOver(services)
    const { raw, call } = await beginReply(services, port)
    const closing = server.close({ deadlineMs: 600_000 })
    await vi.waitFor(() => expect(openRaw(port)).rejects.toThrow("ECONNREFUSED"))
    call.say(" a reply.")
    call.complete()
    await raw.until("\r\n0\r\n\r\n")
    await closing
    expect(await services.parley.credits.balance(ANN)).toMatchObject({ held: 0, available: 99 })
    await services.close()
  })

  test("cuts off a reply at the deadline and resolves once it is settled", async () => {
    const services = await startServer()
    const { server, port, requests } = await serverOver(services)
    const { raw } = await beginReply(services, port)
    await server.close({ deadlineMs: 10 })
    expect(requests.size).toBe(0)
    expect(await services.parley.credits.balance(ANN)).toMatchObject({ held: 0, available: 99 })
    await raw.closed
    expect(raw.received()).not.toContain("\r\n0\r\n\r\n")
    await services.close()
  })

  test("takes requests during the delay, closes their connections, and reports at once that it is not ready", async () => {
    const services = await startServer()
    const { server, port } = await serverOver(services)
    const url = `http://127.0.0.1:${port}`
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const closing = server.close({ deadlineMs: 600_000, delayMs: 1_000 })
    const readiness = await fetch(`${url}/readyz`)
    expect(readiness.status).toBe(503)
    expect(await readiness.json()).toMatchObject({ code: "not_ready" })
    const health = await fetch(`${url}/healthz`)
    expect([health.status, health.headers.get("connection")]).toEqual([200, "close"])
    const { raw, call } = await beginReply(services, port)
    call.say(" a reply.")
    call.complete()
    await raw.until("\r\n0\r\n\r\n")
    await closing
    await expect(openRaw(port)).rejects.toThrow("ECONNREFUSED")
    await services.close()
  })

  test("answers requests on connections that it has not accepted yet", async () => {
    const services = await startServer()
    const { server, port } = await serverOver(services)
    const sockets = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"))
    const answers = sockets.map((socket) =>
      text(socket.end("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
    )
    await once(sockets.at(-1) as Socket, "connect")
    await server.close({ deadlineMs: 600_000 })
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 200 /)
    await services.close()
  })

  test("answers a request that arrived while the process was too busy to read it", async () => {
    const services = await startServer()
    const { server, port } = await serverOver(services)
    const socket = connect(port, "127.0.0.1")
    const answer = text(socket)
    const accepted = once(server.server, "connection")
    await accepted
    const closing = server.close({ deadlineMs: 600_000 })
    await vi.waitFor(() => expect(server.server.listening).toBe(false))
    // In the phase of the event loop after which timers come, and reading later.
    await nextRound()
    socket.end("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    // Longer than a silent connection is given.
    const busyUntil = performance.now() + 700
    while (performance.now() < busyUntil);
    expect(await answer).toMatch(/^HTTP\/1.1 200 /)
    await closing
    await services.close()
  })

  test("with a delay, gives a connection as long to send its first request", async () => {
    const services = await startServer()
    const { server, port } = await serverOver(services)
    const withoutDelay = await serverOver(services)
    const socket = connect(port, "127.0.0.1")
    const answer = text(socket)
    await once(server.server, "connection")
    const silent = await openRaw(withoutDelay.port)
    const closing = server.close({ deadlineMs: 600_000, delayMs: 4_000 })
    await vi.waitFor(() => expect(server.server.listening).toBe(false), { timeout: 60_000 })
    // The other server ends when its silent connection has had its time.
    await withoutDelay.server.close({ deadlineMs: 600_000 })
    await silent.closed
    socket.end("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    expect(await answer).toMatch(/^HTTP\/1.1 200 /)
    await closing
    await services.close()
  })

  test("is not held open by a connection that is kept alive", async () => {
    const services = await startServer()
    const { server, port } = await serverOver(services)
    const raw = await openRaw(port)
    raw.socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
    await raw.until('"ok"')
    await server.close({ deadlineMs: 600_000 })
    await raw.closed
    await services.close()
  })

  test("is not held open by a connection that never sent anything, as browsers keep some", async () => {
    const services = await startServer()
    const { server, port } = await serverOver(services)
    const raw = await openRaw(port)
    await server.close({ deadlineMs: 600_000 })
    await raw.closed
    await services.close()
  })

  test("a port that is taken rejects the call", async () => {
    const services = await startServer()
    const second = createHttpServer(() => undefined)
    await expect(second.listen({ host: "127.0.0.1", port: services.port })).rejects.toThrow("EADDRINUSE")
    await services.close()
  })
})
