import express from "express"
import { afterEach, describe, expect, test } from "vitest"
import { parleyFetch, parleyListener, parleyRouter } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"
import { overNode, type Surface, surfaces } from "./support/surfaces.ts"

const OWNER = "owner"

/** Headers that clients send to appear as another client. */
const CLAIMS = [
  "x-forwarded-for",
  "x-real-ip",
  "x-client-ip",
  "cf-connecting-ip",
  "true-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for"
]

const last = (list: string): string => list.split(",").at(-1)?.trim() ?? ""

/** Each way to serve the routes behind one configured proxy. */
const behindOneProxy: ReadonlyArray<readonly [string, Surface]> = [
  ["Node's listener", overNode((options, prefix) => parleyListener({ ...options, prefix, trustProxy: 1 }))],
  ["Express' router", overNode((options) => express().set("trust proxy", 1).use(parleyRouter(options)))],
  [
    "the fetch handler, told by its host",
    (options) => {
      const handler = parleyFetch(options)
      return Promise.resolve({
        url: "http://localhost",
        port: 0,
        send: (url: string, init: RequestInit) => {
          const request = new Request(url, init)
          return handler(request, { peer: last(request.headers.get("x-forwarded-for") ?? "") })
        },
        close: async () => {
          await options.requests?.idle()
        }
      })
    }
  ]
]

let server: TestServer
let publicKey = ""
afterEach(() => server.close())

const start = async (surface: Surface, widget: Readonly<Record<string, number>>) => {
  const config = { tiers: { free: { monthlyCredits: 100_000 } }, widget }
  server = await startServer({ surface, parley: { work: false, config } })
  const bot = await server.parley.bots.create(OWNER, { displayName: "Ada" })
  publicKey = bot.keys[0]?.publicKey ?? ""
}

interface Ask {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly conversationId?: string
  readonly visitorId?: string
}

const ask = ({ conversationId, headers = {}, signal, visitorId = "v-1" }: Ask = {}) =>
  server.fetch("/api/widget/chat", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ publicKey, visitorId, message: "Hi", conversationId }),
    ...(signal === undefined ? {} : { signal })
  })
const served = async (answer: Response) => {
  expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: "Hello there." })
  expect([...answer.headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([])
  return answer
}

describe.each(surfaces)("%s", (_, surface) => {
  test("counts a visitor by the address of the connection, for any claimed address", async () => {
    await start(surface, { perIpPerMinute: CLAIMS.length })
    for (const [index, name] of CLAIMS.entries()) {
      await served(await ask({ visitorId: `v-${index}`, headers: { [name]: `192.0.2.${index}` } }))
    }
    for (const [index, name] of [...CLAIMS, "forwarded"].entries()) {
      const claim = name === "forwarded" ? "for=198.51.100.1" : `198.51.100.${index}`
      const refused = await ask({ visitorId: `w-${index}`, headers: { [name]: claim } })
      const seconds = Number(refused.headers.get("retry-after"))
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(refused.headers.get("ratelimit-policy")).toBe(`"ip";q=${CLAIMS.length};w=60`)
      expect(refused.headers.get("ratelimit")).toBe(`"ip";r=0;t=${seconds}`)
      await expectProblem(refused, 429, "visitor_rate_limited")
    }
    expect(server.model.requests).toBe(CLAIMS.length)
  })

  test("says which limit is used up, and of a bot not how much of it", async () => {
    await start(surface, { perConversationPerMinute: 1, perBotPerMinute: 3 })
    const first = await served(await ask())
    const conversationId = first.headers.get("x-conversation-id") ?? ""
    await served(await ask({ conversationId }))
    const talked = await ask({ conversationId })
    expect(talked.headers.get("ratelimit-policy")).toBe('"conversation";q=1;w=60')
    await expectProblem(talked, 429, "conversation_rate_limited")
    await served(await ask())
    const busy = await ask()
    expect(busy.headers.get("ratelimit-policy")).toBe('"bot";q=3;w=60')
    const problem = await expectProblem(busy, 429, "bot_rate_limited")
    expect(Object.keys(problem).toSorted()).toEqual(["code", "detail", "error", "requestId", "status", "title", "type"])
    expect(problem["detail"]).toMatch(/^Many people are writing at the moment\. Try again in \d+ seconds?\.$/)
  })

  test("bounds how often an address loads conversations", async () => {
    await start(surface, { readsPerIpPerMinute: 2 })
    const read = () =>
      server.post("/api/widget/conversation", { publicKey, visitorId: "v-1", conversationId: crypto.randomUUID() })
    for (let time = 0; time < 2; time += 1) await expectProblem(await read(), 404, "conversation_not_found")
    const refused = await read()
    expect(refused.headers.get("ratelimit-policy")).toBe('"ip-reads";q=2;w=60')
    await expectProblem(refused, 429, "visitor_reads_limited")
  })

  test("says when a bot is back, and not what its day holds", async () => {
    await start(surface, { ownerDailyCredits: 0 })
    const refused = await ask()
    expect(refused.headers.get("ratelimit")).toMatch(/^"day";r=0;t=\d+$/)
    expect(refused.headers.get("ratelimit-policy")).toBe(null)
    await expectProblem(refused, 429, "bot_resting")
  })

  test("frees the place of a reply whose reader leaves, before its first word or after", async () => {
    await start(surface, { streamsPerIp: 1 })
    for (const words of ["", "Half of"]) {
      const calling = server.model.nextCall()
      const leaving = new AbortController()
      const asking = ask({ signal: leaving.signal })
      const call = await calling
      if (words !== "") call.say(words)
      const reader = words === "" ? undefined : (await asking).body?.getReader()
      await reader?.read()
      const refused = await ask()
      expect(refused.headers.get("retry-after")).toBe("5")
      expect(refused.headers.get("ratelimit-policy")).toBe('"ip-streams";q=1;qu="concurrent-requests"')
      expect(refused.headers.get("ratelimit")).toBe('"ip-streams";r=0')
      await expectProblem(refused, 429, "too_many_visitor_streams")
      leaving.abort()
      await reader?.cancel().catch(() => undefined)
      await asking.catch(() => undefined)
      await call.left
      await server.requests.idle()
    }
    const calling = server.model.nextCall()
    const asking = ask()
    const call = await calling
    call.say("Hello there.")
    call.complete()
    await served(await asking)
  })
})

describe.each(behindOneProxy)("%s behind a proxy", (_, surface) => {
  test("counts a visitor by the address that the proxy saw, for any forged prefix", async () => {
    await start(surface, { perIpPerMinute: 1 })
    const from = (address: string, claim: string) => ask({ headers: { "x-forwarded-for": `${claim}, ${address}` } })
    await served(await from("192.0.2.1", "203.0.113.1"))
    await expectProblem(await from("192.0.2.1", "203.0.113.2"), 429, "visitor_rate_limited")
    await expectProblem(await from("::ffff:192.0.2.1", "203.0.113.3"), 429, "visitor_rate_limited")
    await served(await from("192.0.2.2", "192.0.2.1"))
    await served(await from("2001:db8:0:7::1", "203.0.113.1"))
    await expectProblem(await from("2001:db8:0:7:8::2", "203.0.113.1"), 429, "visitor_rate_limited")
    await served(await from("unreadable", "203.0.113.1"))
    await expectProblem(await from("also unreadable", "203.0.113.1"), 429, "visitor_rate_limited")
  })

  test("serves ordinary visitors beside an abuser", async () => {
    await start(surface, { perIpPerMinute: 3, perBotPerMinute: 23 })
    const from = (address: string) => ask({ headers: { "x-forwarded-for": address } })
    const abuse = Array.from({ length: 60 }, () => from("203.0.113.66"))
    const visits = Array.from({ length: 20 }, (_, index) => from(`192.0.2.${index}`))
    const [abused, visited] = await Promise.all([Promise.all(abuse), Promise.all(visits)])
    expect(abused.filter(({ status }) => status === 200).length).toBe(3)
    expect(visited.map(({ status }) => status)).toEqual(visits.map(() => 200))
    await Promise.all([...abused, ...visited].map((answer) => answer.text()))
  })
})
