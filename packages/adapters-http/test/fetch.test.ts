import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type FetchHandler, type FetchInfo, parleyFetch } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"
import { overFetch } from "./support/surfaces.ts"

const ANN = "ann"
const hello = { messages: [{ role: "user", content: "Hello?" }] }

let server: TestServer
let info: FetchInfo
let handler: FetchHandler
beforeEach(async () => {
  info = {}
  server = await startServer({
    surface: overFetch((options) => {
      const otherwise = (request: Request) => Promise.resolve(new Response(`page of ${new URL(request.url).pathname}`))
      handler = parleyFetch({ ...options, otherwise })
      return (request) => handler(request, info)
    })
  })
})
afterEach(() => server.close())

const ask = () => server.post("/api/chat", hello, ANN)

/** Reads until the body ends or breaks off. */
const readAll = async (response: Response) => {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let received = ""
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      received += Buffer.from(next.value).toString()
    }
    return { received, broke: false }
  } catch {
    return { received, broke: true }
  }
}

describe("the fetch handler", () => {
  test("gives a reader all that was written before an answer broke off, and then the break", async () => {
    const calling = server.model.nextCall()
    const responding = ask()
    const call = await calling
    call.say("Half of")
    const response = await responding
    call.say(" it")
    call.fail("cut-off")
    await server.requests.idle()
    expect(await readAll(response)).toEqual({ received: "Half of it", broke: true })
  })

  test("keeps its host going until a reply is settled whose reader has left", async () => {
    const works: Array<Promise<void>> = []
    info = { waitUntil: (work) => void works.push(work) }
    const calling = server.model.nextCall()
    const responding = ask()
    const call = await calling
    call.say("Half of")
    await (await responding).body?.cancel()
    await Promise.all(works)
    expect(works).toHaveLength(1)
    expect(await server.parley.credits.balance(ANN)).toMatchObject({ held: 0, available: 99 })
  })

  test("leaves what is no route's to its host", async () => {
    expect(await (await server.fetch("/page")).text()).toBe("page of /page")
  })

  test("refuses a body that was read before at once", async () => {
    const request = new Request("http://localhost/api/chat", {
      method: "POST",
      body: JSON.stringify(hello),
      headers: { "content-type": "application/json", cookie: await cookieFor(ANN) }
    })
    await request.text()
    await expectProblem(await handler(request), 500, "body_already_read")
  })
})
