import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { NodeWebhookPoster, type WebhookPosterOptions } from "../../src/webhooks/NodeWebhookPoster.ts"

let server: Server | undefined
const serving = async (listener: RequestListener) => {
  const made = createServer(listener)
  server = made
  await new Promise<void>((done) => made.listen(0, "127.0.0.1", done))
  return (made.address() as AddressInfo).port
}
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)))
  server = undefined
})

const posting = (url: string, options: WebhookPosterOptions = {}) =>
  Effect.runPromise(
    Effect.result(NodeWebhookPoster(options).post({ url, headers: { "webhook-id": "evt_1" }, body: '{"a":"ü"}' }))
  )

describe("NodeWebhookPoster", () => {
  it("sends the bytes and headers, and gives the status and what the other side asks for", async () => {
    const got: Array<unknown> = []
    const port = await serving((request, response) => {
      request.setEncoding("utf8")
      request.on("data", (text) => got.push(request.method, request.headers["webhook-id"], text))
      request.on("end", () => response.writeHead(429, { "retry-after": "7" }).end("no"))
    })
    expect(await posting(`http://127.0.0.1:${port}/hook`)).toMatchObject({ success: { status: 429, retryAfter: "7" } })
    expect(got).toEqual(["POST", "evt_1", '{"a":"ü"}'])
  })

  it("follows no redirect", async () => {
    const paths: Array<string | undefined> = []
    const port = await serving(({ url }, response) => {
      paths.push(url)
      response.writeHead(302, { location: "/elsewhere" }).end()
    })
    expect(await posting(`http://localhost:${port}/hook`)).toMatchObject({ success: { status: 302 } })
    expect(paths).toEqual(["/hook"])
  })

  it("waits for no end of an answer", async () => {
    const port = await serving((_request, response) => {
      response.writeHead(200)
      const more = () => void response.write("x".repeat(65_536), () => (response.destroyed ? undefined : more()))
      more()
    })
    expect(await posting(`http://127.0.0.1:${port}/`)).toMatchObject({ success: { status: 200 } })
  })

  it("takes a side that wants to speak another protocol for one that did not take the event", async () => {
    const port = await serving(() => undefined)
    server?.on("upgrade", () => undefined)
    server?.on("connection", (socket) =>
      socket.once("data", () => socket.write("HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"))
    )
    expect(await posting(`http://127.0.0.1:${port}/`)).toMatchObject({ success: { status: 101 } })
  })

  it("gives up on a side that says nothing", async () => {
    const port = await serving(() => undefined)
    const answer = await posting(`http://127.0.0.1:${port}/`, { timeLimitMs: 50 })
    expect(answer).toMatchObject({ failure: { reason: "timeout" } })
  })

  it("tells a side that is not there", async () => {
    const port = await serving(() => undefined)
    await new Promise((done) => server?.close(done))
    expect(await posting(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: { reason: "unreachable" } })
  })

  it("connects to no private address, by number or by name, unless the operator allows it", async () => {
    let asked = 0
    const port = await serving((_request, response) => {
      asked += 1
      response.end()
    })
    const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }])
    for (const url of [`https://10.0.0.1/`, `https://[fd00::1]/`, `https://169.254.169.254/`]) {
      expect(await posting(url), url).toMatchObject({ failure: { reason: "refused_address" } })
    }
    const named = `http://hooks.example:${port}/`
    expect(await posting(named, { resolve })).toMatchObject({ failure: { reason: "refused_address" } })
    expect(asked).toBe(0)
  })

  it("a name of which one address is private is refused as a whole", async () => {
    const resolve = () =>
      Promise.resolve([
        { address: "93.184.215.14", family: 4 },
        { address: "::1", family: 6 }
      ])
    expect(await posting("https://hooks.example/", { resolve })).toMatchObject({
      failure: { reason: "refused_address" }
    })
  })
})
