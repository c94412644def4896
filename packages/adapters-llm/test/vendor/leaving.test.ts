import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { maxReplyBytes, readEventStream } from "../../src/vendor/readEventStream.ts"
import { vendorFetch } from "../../src/vendor/vendorFetch.ts"

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
}

describe("a reader that leaves a vendor", () => {
  const answers: Array<ServerResponse> = []
  const server = createServer((_request, response) => {
    answers.push(response)
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: one\n\n")
  })
  let url = ""
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening")
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it("closes the connection, also where garbage was collected since the answer began", async () => {
    const leave = new AbortController()
    // The SDKs pass `fetch` a signal of their own that follows the caller's.
    const followed = new AbortController()
    leave.signal.addEventListener("abort", () => followed.abort())
    const events = readEventStream(await vendorFetch(url, { signal: followed.signal }), maxReplyBytes(1), leave.signal)
    expect(await events.next()).toMatchObject({ done: false, value: [{ data: "one" }] })
    const next = events.next()
    next.catch(() => undefined)
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      collectGarbage()
    }
    const closed = once(answers[0]!, "close")
    leave.abort()
    await expect(next).rejects.toMatchObject({ name: "ConnectionLost" })
    await closed
  })
})
