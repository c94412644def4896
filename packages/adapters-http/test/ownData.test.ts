import { openInMemory } from "@parley/core"
import type { PaymentProvider } from "@parley/core/adapter"
import { neutralProvider } from "@parley/core/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { parleyApp } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const STEP_UP_SECONDS = 900
const OTHER = "other-person"

let server: TestServer
let stores: Awaited<ReturnType<typeof openInMemory>>
let person = ""
/** Resolves if a client has left before its answer. */
const left = Promise.withResolvers<void>()
/** What the payment provider does with the end of a subscription. */
let endSubscription: () => Promise<void> = () => Promise.resolve()
beforeAll(async () => {
  stores = await openInMemory()
  const payments: PaymentProvider = {
    ...neutralProvider(),
    endSubscription: () => Effect.promise(() => endSubscription())
  }
  const parley = { ...stores, work: ["holds"] as const, payments }
  server = await startServer({
    parley,
    app: { stepUpSeconds: STEP_UP_SECONDS },
    listener: (options) => {
      const app = parleyApp(options)
      return (request, response) => {
        response.once("close", () => response.writableFinished || left.resolve())
        app(request, response)
      }
    }
  })
  await fill(OTHER)
})
afterAll(() => server.close())
beforeEach(async () => {
  person = `ann-${crypto.randomUUID()}`
  await fill(person)
})

/** A person with a chat, a document and a bot, all marked with the person's id. */
const fill = async (user: string) => {
  await (await server.post("/api/chat", { messages: [{ role: "user", content: `Said by ${user}.` }] }, user)).text()
  const form = new FormData()
  form.set("file", new File([`Text of ${user}`], `file-of-${user}.txt`))
  expect((await server.fetch("/api/upload", { method: "POST", user, body: form })).status).toBe(200)
  await server.parley.bots.create(user, { displayName: `Bot of ${user}` })
}

const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

/** The cookie of a session that began so many seconds ago. */
const session = (secondsSince = 0) => cookieFor(person, { claims: { iat: secondsAgo(secondsSince) } })

const exported = (cookie: string) => server.fetch("/api/account/export", { headers: { cookie } })
const deleted = (cookie: string, userId = person, signal: AbortSignal | null = null) =>
  server.fetch("/api/account", {
    method: "DELETE",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ userId }),
    signal
  })

/** Gives the person a subscription that goes on. */
const subscribe = async () => {
  const subscription = {
    ...{ id: `sub_${person}`, customerId: `cus_${person}`, userId: person, status: "active" },
    ...{ items: [], startedAt: 0 }
  }
  const event = { id: `evt_${person}`, kind: "subscription", createdAt: 0, customerId: subscription.customerId }
  const body = JSON.stringify({ ...event, event: { _tag: "Subscription", subscription } })
  const headers = { "content-type": "application/json" }
  expect((await server.fetch("/api/webhooks/payment", { method: "POST", body, headers })).status).toBe(200)
}

const stored = () => Effect.runPromise(stores.personalData.count(person))
const audit = () =>
  Effect.runPromise(stores.audit.list({ userId: undefined, since: undefined, before: undefined, limit: 20 }))

test.each([
  ["a sign-in before the bound", () => session(STEP_UP_SECONDS + 60)],
  ["a sign-in at an unknown time", () => cookieFor(person)],
  [
    "a new token of an old sign-in",
    () => cookieFor(person, { claims: { iat: secondsAgo(0), auth_time: secondsAgo(STEP_UP_SECONDS + 60) } })
  ]
])("after %s neither an export nor a deletion is allowed, and nothing changes", async (_, cookieOf) => {
  const before = [await stored(), await audit()]
  const cookie = await cookieOf()
  for (const response of [await exported(cookie), await deleted(cookie)]) {
    const problem = await expectProblem(response, 403, "fresh_sign_in_required")
    expect(problem).toMatchObject({ maxAgeSeconds: STEP_UP_SECONDS })
  }
  expect([await stored(), await audit()]).toEqual(before)
})

describe("an export of one's own data", () => {
  test("is a file with all lines of the person and none of another person, and is recorded", async () => {
    const response = await exported(await session())
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/jsonl; charset=utf-8")
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="my-data-\d{4}-\d\d-\d\d\.jsonl"$/
    )
    const text = await response.text()
    for (const mark of [`Said by ${person}.`, `file-of-${person}.txt`, `Bot of ${person}`]) expect(text).toContain(mark)
    expect(text).not.toContain(OTHER)
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; data: { lines?: number } })
    expect([lines[0]?.kind, lines.at(-1)]).toEqual(["export", { kind: "end", data: { lines: lines.length - 1 } }])
    expect((await audit())[0]).toMatchObject({ action: "users export", by: "the person", userId: person })
    expect(server.log.filter((line) => line.includes('"exported"') && line.includes(person))).toHaveLength(1)
  })
})

describe("a deletion of one's own account", () => {
  test("erases the person, empties the cookie, and ends every session that began before", async () => {
    const [cookie, another] = [await session(), await session(60)]
    const response = await deleted(cookie)
    expect([response.status, await response.json()]).toEqual([200, { chats: 1, documents: 1, transactions: 3 }])
    expect(response.headers.get("set-cookie")).toMatch(/^parley_session=;.*Max-Age=0/)
    expect(await stored()).toMatchObject({ chats: 0, documents: 0, transactions: 0 })
    for (const token of [cookie, another]) await expectProblem(await deleted(token), 401, "unauthorized")
    await expectProblem(await server.fetch("/api/me", { headers: { cookie: another } }), 401, "unauthorized")
    expect(await stored()).toMatchObject({ transactions: 0 })
    const [entry] = await audit()
    expect(entry).toMatchObject({ action: "users delete", by: "the person" })
    expect(JSON.stringify(entry)).not.toContain(person)
  })

  test("refuses the token of the deletion even if the provider's clock is ahead, and stores no address with the event", async () => {
    const ahead = await session(-30)
    expect((await deleted(ahead)).status).toBe(200)
    await expectProblem(await server.fetch("/api/me", { headers: { cookie: ahead } }), 401, "unauthorized")
    const events = server.log.filter((line) => line.includes('"erased"'))
    expect(events.length).toBeGreaterThan(0)
    for (const line of events) expect(line).not.toMatch(/address|userAgent|route/)
  })

  test("goes on if the browser leaves, so that no plan ends without the account, and refuses its token as well", async () => {
    await subscribe()
    const [reached, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    endSubscription = () => {
      reached.resolve()
      return answers.promise
    }
    const [leaving, ahead] = [new AbortController(), await session(-30)]
    const response = deleted(ahead, person, leaving.signal).catch((error: unknown) => error)
    await reached.promise
    leaving.abort()
    expect(await response).toMatchObject({ name: "AbortError" })
    await left.promise
    answers.resolve()
    await vi.waitFor(async () => expect(await stored()).toMatchObject({ chats: 0, documents: 0, transactions: 0 }))
    await vi.waitFor(async () =>
      expectProblem(await server.fetch("/api/me", { headers: { cookie: ahead } }), 401, "unauthorized")
    )
  })

  test("is refused with 429 if the same person did it a short time ago", async () => {
    expect((await deleted(await session())).status).toBe(200)
    const returned = await session(-30)
    expect((await server.fetch("/api/billing/balance", { headers: { cookie: returned } })).status).toBe(200)
    const before = [await stored(), await audit()]
    expect(before[0]).toMatchObject({ transactions: 1 })
    const response = await deleted(returned)
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await expectProblem(response, 429, "erasure_limited"))["detail"]).toContain("30 days")
    expect([await stored(), await audit()]).toEqual(before)
  })

  test("is refused for another id than one's own and from another site", async () => {
    const cookie = await session()
    const before = await stored()
    await expectProblem(await deleted(cookie, OTHER), 400, "invalid_request")
    const crossSite = { method: "DELETE", body: JSON.stringify({ userId: person }) }
    const headers = { cookie, "content-type": "application/json", "sec-fetch-site": "cross-site" }
    await expectProblem(await server.fetch("/api/account", { ...crossSite, headers }), 403, "cross_site_request")
    expect(await stored()).toMatchObject({ chats: before.chats, documents: before.documents })
    expect((await server.fetch("/api/me", { headers: { cookie } })).status).toBe(200)
  })
})
