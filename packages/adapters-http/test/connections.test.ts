import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { networkInterfaces } from "node:os"
import { connect } from "node:net"
import { afterEach, expect, test } from "vitest"
import { boundConnections, type ConnectionBounds } from "../src/node/boundConnections.ts"
import { openRaw } from "./support/openRaw.ts"
import { waitUntil } from "./support/waitUntil.ts"

const closing: Array<() => void> = []
afterEach(() => closing.splice(0).forEach((close) => close()))

/** A server that answers `/slow` when the test allows it, and all other requests at once. */
const start = async (bounds: ConnectionBounds) => {
  const slow: Array<() => void> = []
  const server = createServer((request, response) => {
    if (request.url === "/slow") slow.push(() => response.end("slow"))
    else response.end("fast")
  })
  boundConnections(server, bounds)
  await new Promise<void>((resolve) => void server.listen(0, "0.0.0.0", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, slow }
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

test("where there are as many connections as there may be, the one silent for longest makes room", async () => {
  const { port, slow } = await start({ total: 3, perPeer: undefined })
  const busy = await openRaw(port)
  busy.socket.write(ask("/slow"))
  await waitUntil(() => slow.length === 1)
  const [silent, used] = [await openRaw(port), await openRaw(port)]
  used.socket.write(ask("/"))
  await used.until("fast")
  const next = await openRaw(port)
  next.socket.write(ask("/"))
  await next.until("fast")
  await silent.closed
  slow[0]?.()
  await busy.until("slow")
  used.socket.write(ask("/"))
  await used.until("fast")
})

test("a connection whose first request is answered while its second is under way does not make room", async () => {
  const { port, slow } = await start({ total: 1, perPeer: undefined })
  const busy = await openRaw(port)
  busy.socket.write(ask("/") + ask("/slow"))
  await busy.until("fast")
  await waitUntil(() => slow.length === 1)
  const refused = await openRaw(port)
  await refused.until('"code":"server_busy"')
  slow[0]?.()
  await busy.until("slow")
})

test("if each connection has a request in progress, a new one is asked to retry later", async () => {
  const { port, slow } = await start({ total: 1, perPeer: undefined })
  const busy = await openRaw(port)
  busy.socket.write(ask("/slow"))
  await waitUntil(() => slow.length === 1)
  const refused = await openRaw(port)
  await refused.until('"code":"server_busy"')
  expect(refused.received()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: \d/)
  await refused.closed
  slow[0]?.()
  await busy.until("slow")
})

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === "IPv4" && !address.internal)?.address

test.runIf(outside !== undefined)(
  "one address keeps no more connections than it may, and takes none from others; this machine's own has no such bound",
  async () => {
    const { port } = await start({ total: 100, perPeer: 2 })
    const others = [await openRaw(port), await openRaw(port), await openRaw(port)]
    const open = () => {
      const socket = connect({ host: outside ?? "", port })
      closing.push(() => socket.destroy())
      socket.on("error", () => undefined)
      return { socket, closed: new Promise<void>((resolve) => socket.once("close", () => resolve())) }
    }
    const sockets = [open(), open(), open()]
    await Promise.race(sockets.map(({ closed }) => closed))
    for (const other of others) {
      other.socket.write(ask("/"))
      await other.until("fast")
    }
  }
)
