import { request } from "node:http"
import { type CreateServiceKey, openInMemory, type StoragePorts } from "@parley/core"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parleyFetch } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"
import { overFetch } from "./support/surfaces.ts"

let server: TestServer
let ownKey: string
let stores: StoragePorts
let asked = 0
const person = () => `person-${++asked}`
beforeAll(async () => {
  stores = await openInMemory()
  server = await startServer({
    parley: stores,
    surface: overFetch((options, prefix) => parleyFetch({ ...options, prefix }))
  })
  ownKey = server.serviceKey.key
})
afterAll(() => server.close())

const newKey = async (scopes: CreateServiceKey["scopes"]) =>
  (await server.parley.keys.create({ name: "another", scopes })).key

const call = (path: string, body: unknown, secret = ownKey) =>
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
    expect(paid).toMatchObject({ state: "settled", charged: 5, uncovered: 0, transactionId: expect.any(String) })
    expect(await done("settle", { ...name, lines: pages })).toEqual(paid)
    expect(await done("release", name)).toEqual(paid)
    expect(await server.parley.credits.balance(name.userId)).toMatchObject({ available: 95, held: 0 })
    const { transactions } = await server.parley.credits.history({
      userId: name.userId,
      limit: 1,
      offset: 0,
      type: "usage"
    })
    expect(transactions).toMatchObject([{ amount: -5, source: `key:${server.serviceKey.id}` }])
  })

  test("gives back what was held, once", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 40 })
    const released = { state: "released", charged: 0, uncovered: 0, transactionId: null }
    expect(await done("release", name)).toEqual(released)
    expect(await done("settle", { ...name, lines: pages })).toEqual(released)
    expect(await server.parley.credits.balance(name.userId)).toMatchObject({ available: 100, held: 0 })
  })

  test("is charged what was held if work costs more, and the answer has what that did not cover", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 40 })
    const lines = [{ label: "pages", quantity: 47, unitPrice: 1 }]
    const paid = await done("settle", { ...name, lines })
    expect(paid).toMatchObject({ state: "settled", charged: 40, uncovered: 7 })
    expect(await done("settle", { ...name, lines })).toEqual(paid)
    expect(await server.parley.credits.balance(name.userId)).toMatchObject({ available: 60, held: 0 })
  })

  test("is charged once where many settle at once", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 40 })
    const ends = await Promise.all(Array.from({ length: 12 }, () => done("settle", { ...name, lines: pages })))
    expect(new Set(ends.map((end) => end["transactionId"])).size).toBe(1)
    expect((await server.parley.credits.balance(name.userId)).available).toBe(95)
  })

  test("holds and renews nothing of a blocked person, and can charge for what was done before", async () => {
    const name = { userId: person(), key: "k" }
    await done("reserve", { ...name, amount: 40 })
    await server.parley.users.block(name.userId)
    await expectProblem(await call("reserve", { ...name, key: "k2", amount: 1 }), 403, "blocked")
    await expectProblem(await call("renew", name), 403, "blocked")
    expect(await done("settle", { ...name, lines: pages })).toMatchObject({ state: "settled", charged: 5 })
    const stranger = person()
    await server.parley.users.block(stranger)
    await expectProblem(await call("reserve", { userId: stranger, key: "k", amount: 1 }), 403, "blocked")
    const headers = { authorization: `Bearer ${ownKey}` }
    const balance = await server.fetch(`/v1/users/${stranger}/balance`, { headers })
    await expectProblem(balance, 404, "account_not_found")
    await server.parley.users.unblock(name.userId)
    await done("reserve", { ...name, key: "k2", amount: 1 })
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
    const other = await newKey(["credits:hold"])
    for (const path of ["settle", "release"]) {
      await expectProblem(await call(path, { ...name, lines: pages }, other), 404, "hold_not_found")
    }
    await done("release", name)
    expect((await server.parley.credits.balance(name.userId)).held).toBe(10)
  })

  test("are rotated while work is held, which the new key settles", async () => {
    const name = { userId: person(), key: "k" }
    const before = await server.parley.keys.create({ name: "rotating", scopes: ["credits:hold"] })
    await done("reserve", { ...name, amount: 20 }, before.key)
    const after = await server.parley.keys.rotate({ id: before.id })
    await done("renew", name, before.key)
    await done("settle", { ...name, lines: pages }, after.key)
    const last = await server.parley.keys.rotate({ id: before.id, endsNow: true })
    for (const old of [before.key, after.key]) {
      await expectProblem(await call("release", name, old), 401, "service_key_invalid")
    }
    await done("release", name, last.key)
  })

  test.each([
    ["nothing", () => ""],
    ["a blank", () => " "],
    ["no token", () => "Bearer"],
    ["a blank token", () => "Bearer  "],
    ["a longer key", () => `Bearer ${ownKey}x`],
    ["another scheme", () => `Basic ${ownKey}`],
    ["the key alone", () => ownKey],
    ["two keys", () => `Bearer ${ownKey}, Bearer ${ownKey}`],
    ["its id with another secret", () => `Bearer ${ownKey.slice(0, 27)}${"0".repeat(64)}`],
    ["a script's unset variable", () => "Bearer undefined"]
  ])("are not proven by %s, of which nothing is logged", async (_, header) => {
    const headers = { "content-type": "application/json", authorization: header() }
    const init = { method: "POST", headers, body: JSON.stringify({ userId: "ann", key: "k", amount: 1 }) }
    await expectProblem(await server.fetch("/v1/credits/reserve", init), 401, "service_key_invalid")
    for (const part of [ownKey, ownKey.slice(27)]) expect(server.log.join()).not.toContain(part)
  })

  test("count in the header alone: not in the address, a cookie or the body", async () => {
    const places = [
      [`/v1/users/ann/balance?access_token=${ownKey}&key=${ownKey}`, {}],
      ["/v1/users/ann/balance", { cookie: `parley_session=${ownKey}` }],
      ["/v1/users/ann/balance", { "x-api-key": ownKey, "proxy-authorization": `Bearer ${ownKey}` }]
    ] as const
    for (const [path, headers] of places) {
      await expectProblem(await server.fetch(path, { headers }), 401, "service_key_invalid")
    }
    expect(server.log.join()).not.toContain(ownKey.slice(27))
  })

  test("open nothing else: a key is no session, also beside a cookie that is one", async () => {
    const headers = { authorization: `Bearer ${ownKey}` }
    await expectProblem(await server.fetch("/api/me", { headers }), 401, "unauthorized")
    await expectProblem(await server.fetch("/api/me", { headers, user: "ann" }), 401, "unauthorized")
  })

  test("are refused if a request has several Authorization headers, in any order", async () => {
    const onNode = await startServer()
    await onNode.parley.credits.balance("ann")
    const headers = (...keys: ReadonlyArray<string>) => keys.flatMap((key) => ["authorization", `Bearer ${key}`])
    const right = onNode.serviceKey.key
    const statusOf = (sent: Array<string>) =>
      new Promise((resolve, reject) => {
        const options = { port: onNode.port, path: "/v1/users/ann/balance", headers: ["host", "localhost", ...sent] }
        request(options, (response) => resolve(response.resume().statusCode))
          .on("error", reject)
          .end()
      })
    expect(await statusOf(headers(right))).toBe(200)
    expect(await statusOf(["AUTHORIZATION", `BEARER ${right}`])).toBe(200)
    for (const keys of [
      [right, "x"],
      ["x", right],
      [right, right]
    ])
      expect(await statusOf(headers(...keys))).toBe(401)
    await onNode.close()
  })
})

describe("a back end", () => {
  const ask = (method: string, path: string, body?: unknown) =>
    server.fetch(`/v1/users/${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${ownKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  const answerOf = async (response: Response) => {
    expect(response.status).toBe(200)
    return (await response.json()) as Record<string, unknown>
  }
  const entriesOf = (userId: string) =>
    Effect.runPromise(stores.audit.list({ userId, since: undefined, before: undefined, limit: 100 }))

  test("reads a person's balance and history, and the grant of many requests under one key is granted once", async () => {
    const userId = `${person()}/ä@example.com`
    const path = encodeURIComponent(userId)
    await server.parley.credits.balance(userId)
    const grant = { amount: 50, key: "order:7", reason: "a gift" }
    const grants = await Promise.all(Array.from({ length: 8 }, () => ask("POST", `${path}/grants`, grant)))
    const answers = await Promise.all(grants.map(answerOf))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ userId, key: "order:7", amount: 50, balanceAfter: 150 })
    expect(await answerOf(await ask("GET", `${path}/balance`))).toMatchObject({ topup: 50, available: 150 })
    expect(await answerOf(await ask("GET", `${path}/history?type=grant`))).toMatchObject({
      total: 1,
      transactions: [{ id: answers[0]?.["transactionId"], amount: 50, reference: "grant:order:7" }]
    })
    await expectProblem(await ask("POST", `${path}/grants`, { ...grant, amount: 51 }), 422, "idempotency_conflict")
    expect(await entriesOf(userId)).toMatchObject([
      {
        action: "credits grant",
        by: `key:${server.serviceKey.id}`,
        reason: "a gift",
        details: "50 credits under the key grant:order:7"
      }
    ])
  })

  test("cannot take the key of a payment by a grant", async () => {
    const userId = person()
    await server.parley.credits.balance(userId)
    await answerOf(await ask("POST", `${userId}/grants`, { amount: 1, key: "topup:cs_1" }))
    const { transactions } = await server.parley.credits.history({ userId, limit: 1, offset: 0 })
    expect(transactions[0]?.reference).toBe("grant:topup:cs_1")
  })

  test("sets a person's tier, which the same request again leaves as it is", async () => {
    const userId = person()
    await server.parley.credits.balance(userId)
    const before = await answerOf(await ask("GET", `${userId}/tier`))
    expect(before).toMatchObject({ userId, tier: "free", pinned: false, paidTier: null, available: 100 })
    const set = await answerOf(await ask("PUT", `${userId}/tier`, { tier: "pro", reason: "pilot" }))
    expect(set).toMatchObject({ tier: "pro" })
    await server.parley.credits.adjust({ userId, amount: -30, key: "k", reason: "spent" })
    const again = await answerOf(await ask("PUT", `${userId}/tier`, { tier: "pro", reason: "pilot" }))
    expect(again).toEqual({ ...set, available: Number(set["available"]) - 30 })
    expect(await entriesOf(userId)).toMatchObject([{ action: "users tier", details: "pro", reason: "pilot" }])
    for (const tier of ["free", "pro", "free", "pro"]) {
      const changed = await answerOf(await ask("PUT", `${userId}/tier`, { tier, reason: "to and fro" }))
      expect(changed["available"]).toBe(again["available"])
    }
    const problem = await expectProblem(await ask("PUT", `${userId}/tier`, { tier: "gold" }), 422, "unknown_tier")
    expect(problem["tiers"]).toContain("pro")
  })

  test("reads the events of all people once each, page by page, from its first request on", async () => {
    const key = await newKey(["events:read"])
    interface Page {
      readonly events: ReadonlyArray<{
        readonly id: string
        readonly type: string
        readonly data: { account?: string }
      }>
      readonly next: string
    }
    const read = async (query: string) => {
      const response = await server.fetch(`/v1/events?${query}`, { headers: { authorization: `Bearer ${key}` } })
      expect(response.status).toBe(200)
      return (await response.json()) as Page
    }
    const begin = (await read("limit=200")).next
    const people = [person(), person(), person()]
    for (const userId of people) {
      await done("reserve", { userId, key: "k", amount: 40 })
      await done("settle", { userId, key: "k", lines: pages })
    }
    const first = await read(`after=${begin}&limit=2`)
    const second = await read(`after=${first.next}&limit=2`)
    const charges = [...first.events, ...second.events].filter(({ type }) => type === "credits.charged")
    expect(charges.map(({ data }) => data.account)).toEqual(people)
    expect(charges[0]).toMatchObject({ version: 1, data: { credits: 5, source: `key:${server.serviceKey.id}` } })
    expect(await read(`after=${second.next}`)).toEqual({ events: [], next: second.next })
    for (const query of ["after=x", "after=-1", "limit=0", "limit=201", "after=1&after=2"]) {
      const headers = { authorization: `Bearer ${key}` }
      await expectProblem(await server.fetch(`/v1/events?${query}`, { headers }), 400, "invalid_request")
    }
  })

  test("gets 404 about a person without an account, and opens none", async () => {
    const userId = person()
    const calls = [
      ["GET", "balance"],
      ["GET", "history"],
      ["GET", "tier"],
      ["PUT", "tier", { tier: "pro" }],
      ["POST", "grants", { amount: 1, key: "k" }]
    ] as const
    for (const [method, path, body] of calls) {
      await expectProblem(await ask(method, `${userId}/${path}`, body), 404, "account_not_found")
    }
    expect(await entriesOf(userId)).toEqual([])
    expect((await server.parley.users.list({ search: userId })).people).toEqual([])
  })

  test("gets 400 for a request that is not valid", async () => {
    const grant = { amount: 1, key: "k" }
    const wrong = [{ amount: 0 }, { amount: -1 }, { amount: 0.5 }, { amount: "1" }, { amount: 2 ** 60 }, { key: "" }]
    for (const more of [...wrong, { key: "a b" }, { key: "x".repeat(141) }, { reason: "" }, { reason: "a\nb" }]) {
      await expectProblem(await ask("POST", "ann/grants", { ...grant, ...more }), 400, "invalid_request")
    }
    await expectProblem(await ask("GET", `${"x".repeat(256)}/balance`), 400, "invalid_request")
    await expectProblem(await ask("GET", "a%00b/balance"), 400, "invalid_request")
  })
})
