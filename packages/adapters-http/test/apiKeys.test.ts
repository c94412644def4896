import { runtimeOf } from "@parley/core/effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type ApiKey, API_SCOPES, parleyFetch } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { digestOf, KEY_SECRET, startServer, type TestServer } from "./support/startServer.ts"
import { overFetch } from "./support/surfaces.ts"

const OTHER = "the-secret-of-another-service"
const OLD = "the-secret-before"
const NEW = "the-secret-after"
const NARROW = "may-reserve-and-nothing-else"
const keys: ReadonlyArray<ApiKey> = [
  { id: "service", sha256: digestOf(KEY_SECRET), scopes: API_SCOPES },
  { id: "other", sha256: digestOf(OTHER).toUpperCase(), scopes: API_SCOPES },
  { id: "rotating", sha256: [digestOf(OLD), digestOf(NEW)], scopes: API_SCOPES, perMinute: 3 },
  { id: "narrow", sha256: digestOf(NARROW), scopes: ["credits:reserve"], dailyCap: 30 }
]

let server: TestServer
let asked = 0
const person = () => `person-${++asked}`
beforeAll(async () => {
  server = await startServer({
    surface: overFetch((options, prefix) => parleyFetch({ ...options, prefix })),
    app: { apiKeys: keys }
  })
})
afterAll(() => server.close())

const call = (path: string, body: unknown, secret = KEY_SECRET) =>
  server.fetch(`/v1/credits/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}` }
  })

const done = async (path: string, body: unknown, secret?: string) => {
  const response = await call(path, body, secret)
  const answer = (await response.json()) as Record<string, unknown>
  expect(response.status, JSON.stringify(answer)).toBe(200)
  return answer
}

const pages = [{ label: "pages", quantity: 3, unitPrice: 1.5 }]

describe("a service with a key", () => {
  test("holds, renews and charges a person's credits once, whose account it opens, under its own source", async () => {
    const name = { userId: person(), key: "order:7" }
    const held = await done("reserve", { ...name, amount: 40 })
    expect(held).toMatchObject({ ...name, held: 40, state: "open", replayed: false })
    expect(Date.parse(String(held["expiresAt"]))).toBeGreaterThan(Date.now())
    expect(await done("reserve", { ...name, amount: 40 })).toMatchObject({ held: 40, replayed: true })
    expect(await done("renew", { ...name, lines: pages })).toEqual({ state: "open" })
    expect((await server.parley.credits.balance(name.userId)).held).toBe(40)
    const paid = await done("settle", { ...name, lines: pages })
    expect(paid).toMatchObject({ state: "settled", charged: 5, transactionId: expect.any(String) })
    expect(await done("settle", { ...name, lines: pages })).toEqual(paid)
    expect(await done("release", name)).toEqual(paid)
    expect(await server.parley.credits.balance(name.userId)).toMatchObject({ available: 95, held: 0 })
    const { transactions } = await server.parley.credits.history({
      userId: name.userId,
      limit: 1,
      offset: 0,
      type: "usage"
    })
    expect(transactions).toMatchObject([{ amount: -5, source: "key:service" }])
  })

  test("gives back what was held, once", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 40 })
    const released = { state: "released", charged: 0, transactionId: null }
    expect(await done("release", name)).toEqual(released)
    expect(await done("settle", { ...name, lines: pages })).toEqual(released)
    expect(await server.parley.credits.balance(name.userId)).toMatchObject({ available: 100, held: 0 })
  })

  test("is charged once where many settle at once", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 40 })
    const ends = await Promise.all(Array.from({ length: 12 }, () => done("settle", { ...name, lines: pages })))
    expect(new Set(ends.map((end) => end["transactionId"])).size).toBe(1)
    expect((await server.parley.credits.balance(name.userId)).available).toBe(95)
  })

  test("is refused by name if it is not possible", async () => {
    const userId = person()
    const reserve = (more: object) => call("reserve", { userId, key: "k", amount: 40, ...more })
    const poor = await expectProblem(await reserve({ amount: 101 }), 402, "insufficient_credits")
    expect(poor).toMatchObject({ required: 101, available: 100 })
    expect((await reserve({})).status).toBe(200)
    await expectProblem(await reserve({ amount: 41 }), 422, "idempotency_conflict")
    await expectProblem(await call("settle", { userId, key: "none", lines: [] }), 404, "hold_not_found")
    await expectProblem(await call("release", { userId: person(), key: "k" }), 404, "hold_not_found")
    await expectProblem(await call("renew", { userId, key: "none" }), 404, "hold_not_found")
    await expectProblem(await reserve({ key: "k2", minimumAmount: 41 }), 422, "invalid_amount")
    const blank = [{ label: " ", quantity: 1, unitPrice: 1 }]
    await expectProblem(await call("settle", { userId, key: "k", lines: blank }), 422, "invalid_work")
    const many = Array.from({ length: 51 }, () => pages[0])
    await expectProblem(await call("settle", { userId, key: "k", lines: many }), 400, "invalid_request")
    const wrong = [{ amount: 0 }, { amount: -1 }, { amount: 0.5 }, { amount: "7" }, { amount: 2 ** 60 }, { key: "" }]
    for (const more of [...wrong, { key: "a b" }, { key: "x".repeat(141) }, { userId: "" }, { userId: "a\0b" }]) {
      await expectProblem(await reserve(more), 400, "invalid_request")
    }
    await expectProblem(await call("reserve", "x".repeat(1024 * 1024 + 1)), 413, "payload_too_large")
  })
})

describe("keys", () => {
  test("do not reach the holds of one another, nor those the server meters itself", async () => {
    const name = { userId: person(), key: "k" }
    await server.parley.credits.balance(name.userId)
    await server.parley.credits.reserve({ ...name, amount: 10, source: "meter:own" })
    await done("reserve", { ...name, amount: 20 })
    for (const path of ["settle", "release"]) {
      await expectProblem(await call(path, { ...name, lines: pages }, OTHER), 404, "hold_not_found")
    }
    await done("release", name)
    expect((await server.parley.credits.balance(name.userId)).held).toBe(10)
  })

  test("do what their scopes say, and no more of a person's day than their cap", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 20 }, NARROW)
    for (const [path, scope] of [
      ["settle", "credits:settle"],
      ["release", "credits:release"]
    ] as const) {
      const refused = await expectProblem(await call(path, { ...name, lines: pages }, NARROW), 403, "scope_missing")
      expect(refused["scope"]).toBe(scope)
    }
    expect((await server.parley.credits.balance(name.userId)).held).toBe(20)
    const more = { ...name, key: "k2", amount: 11 }
    const refused = await expectProblem(await call("reserve", more, NARROW), 429, "daily_cap_reached")
    expect(refused["resetsAt"]).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/)
  })

  test("change their secrets while both count, and are bounded by the minute, together", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 20 }, OLD)
    await done("settle", { ...name, lines: pages }, NEW)
    await done("settle", { ...name, lines: pages }, OLD)
    const refused = await call("settle", { ...name, lines: pages }, NEW)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    await expectProblem(refused, 429, "api_key_rate_limited")
    expect((await call("release", name)).status).toBe(404)
  })

  test.each([
    "",
    " ",
    "Bearer",
    "Bearer  ",
    `Bearer ${KEY_SECRET}x`,
    `Basic ${KEY_SECRET}`,
    `Bearer ${digestOf(KEY_SECRET)}`
  ])("are not proven by %j, of which nothing is logged", async (authorization) => {
    const headers = { "content-type": "application/json", authorization }
    const init = { method: "POST", headers, body: JSON.stringify({ userId: "ann", key: "k", amount: 1 }) }
    await expectProblem(await server.fetch("/v1/credits/reserve", init), 401, "api_key_invalid")
    for (const secret of [KEY_SECRET, digestOf(KEY_SECRET)]) expect(server.log.join()).not.toContain(secret)
  })

  test("open nothing else: a key is no session", async () => {
    const headers = { authorization: `Bearer ${KEY_SECRET}` }
    await expectProblem(await server.fetch("/api/me", { headers }), 401, "unauthorized")
  })

  test("that are not configured have no route", async () => {
    const closed = await startServer({ app: { apiKeys: [] } })
    const init = { method: "POST", headers: { authorization: `Bearer ${KEY_SECRET}` } }
    await expectProblem(await closed.fetch("/v1/credits/reserve", init), 404, "not_found")
    await closed.close()
  })

  test.each([
    ["an id with a colon", { ...keys[0], id: "a:b" }],
    ["a secret in place of its digest", { ...keys[0], sha256: KEY_SECRET }],
    ["no digest", { ...keys[0], sha256: [] }],
    ["no scope", { ...keys[0], scopes: [] }],
    ["another scope", { ...keys[0], scopes: ["credits:grant"] }],
    ["a bound of nothing", { ...keys[0], perMinute: 0 }]
  ])("with %s are refused when the server is made", async (_, key) => {
    const runtime = runtimeOf(server.parley)
    const make = (apiKeys: ReadonlyArray<unknown>) => () =>
      parleyFetch({ runtime, authenticate: () => undefined, apiKeys: apiKeys as ReadonlyArray<ApiKey> })
    expect(make([key])).toThrow("The API keys cannot be used")
    expect(make([key])).not.toThrow(KEY_SECRET)
    expect(make([keys[0], { ...keys[1], id: "service" }])).toThrow("the same id")
    expect(make([keys[0], { ...keys[0], id: "again" }])).toThrow("the same secret")
  })
})
