import { once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, expect, test } from "vitest"
import { limitStalledReader } from "../src/server/limitStalledReader.ts"
import { openRaw } from "./support/openRaw.ts"

/** Far more than the system takes from a writer before anybody reads. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, "x")
const LAST = "the end"

let server: Server
let port: number
beforeEach(async () => {
  server = createServer((request, response) => {
    response.end(request.url === "/large" ? Buffer.concat([LARGE, Buffer.from(LAST)]) : "small")
    limitStalledReader(response, 200)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  port = (server.address() as AddressInfo).port
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

test("a reader that takes nothing of a whole answer is cut off, so that it is not kept in memory for ever", async () => {
  const responding = once(server, "request")
  const raw = await openRaw(port)
  raw.socket.pause()
  raw.socket.write("GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
  const [, response] = (await responding) as [unknown, ServerResponse]
  await once(response, "close")
  raw.socket.resume()
  await raw.closed
  expect(raw.received()).toContain("200 OK")
  expect(raw.received()).not.toContain(LAST)
})

test("a reader that takes all of it may go on with the connection", async () => {
  const raw = await openRaw(port)
  raw.socket.write("GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
  await raw.until(LAST)
  raw.socket.write("GET /small HTTP/1.1\r\nhost: x\r\n\r\n")
  await raw.until("small")
  raw.socket.destroy()
})
