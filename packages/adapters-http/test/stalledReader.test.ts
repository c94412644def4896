import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openRaw } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const ANN = "ann"
const REQUEST_BEGAN = "http.server.request.start"

let server: TestServer
beforeEach(async () => {
  server = await startServer({ app: { stalledReaderMs: 200 } })
})
afterEach(() => server.close())

/** A chat each page of which is an answer of some 200 kB. */
const makeLargeChat = async (): Promise<string> => {
  const long = { role: "user", content: "storks and cranes ".repeat(6_000) }
  let chatId: string | undefined
  for (let turn = 0; turn < 3; turn++) {
    const body = { chatId, messages: [long, { role: "user", content: "Hello?" }] }
    const response = await server.post("/api/chat", body, ANN)
    expect(await response.text()).toBe("Hello there.")
    chatId ??= response.headers.get("x-chat-id") ?? undefined
  }
  return `/api/chats/${chatId}`
}

/** The response to the next request for `path`, as the server has it. */
const nextResponse = (path: string): Promise<ServerResponse> =>
  new Promise((resolve) => {
    const hear = (message: unknown) => {
      const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
      if (request.url !== path) return
      unsubscribe(REQUEST_BEGAN, hear)
      resolve(response)
    }
    subscribe(REQUEST_BEGAN, hear)
  })

/** The responses to this many concurrent requests are far larger than the system's buffers. */
const REQUESTS = 60
const END_OF_PAGE = /"nextBefore":(null|"[^"]*")\}/g

test("a reader that takes nothing of whole answers is cut off, so that they are not kept in memory for ever", async () => {
  const path = await makeLargeChat()
  const responding = nextResponse(path)
  const raw = await openRaw(server.port)
  raw.socket.pause()
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\ncookie: ${await cookieFor(ANN)}\r\n\r\n`
  raw.socket.write(request.repeat(REQUESTS))
  const { socket } = (await responding).req
  if (!socket.destroyed) await once(socket, "close")
  raw.socket.resume()
  await raw.closed
  expect(raw.received()).toContain("200 OK")
  expect(raw.received().match(END_OF_PAGE)?.length ?? 0).toBeLessThan(REQUESTS)
})

test("a reader that takes all of it may go on with the connection", async () => {
  const path = await makeLargeChat()
  const raw = await openRaw(server.port)
  raw.socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\ncookie: ${await cookieFor(ANN)}\r\n\r\n`)
  await raw.until('"nextBefore":')
  raw.socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
  await raw.until('{"status":"ok"}')
  raw.socket.destroy()
})
