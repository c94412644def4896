import { openInMemory } from "@parley/core"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Route, routes } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const otherSecret = new TextEncoder().encode("another secret, just as long as the first")
const admin = routes.filter(({ path }) => path.startsWith("/api/admin/"))
const writes = admin.filter(({ method }) => method !== "GET")
const nameOf = ({ method, path }: Route) => `${method} ${path}`

let server: TestServer
let person = ""
const stores = await openInMemory()
beforeAll(async () => {
  server = await startServer({ parley: { ...stores, work: ["holds"] } })
})
beforeEach(async () => {
  person = `ann/${crypto.randomUUID()}@example.com`
  await server.fetch("/api/me", { user: person })
})
afterAll(() => server.close())

const secondsNow = () => Math.floor(Date.now() / 1000)

const cookieOf = (role: unknown, user = "olga", claims: Readonly<Record<string, unknown>> = { iat: secondsNow() }) =>
  cookieFor(user, { claims: { ...claims, parley_role: role } })

const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  block: { reason: "abuse" },
  unblock: { reason: "a mistake" },
  "sign-out": { reason: "a lost laptop" },
  grants: { amount: 50, key: "ticket-1", reason: "an apology" },
  adjustments: { amount: -20, key: "ticket-2", reason: "granted twice" },
  refunds: { payment: "pi_1", reason: "paid back" },
  tier: { tier: "pro", reason: "a pilot" },
  unpin: { reason: "the pilot ended" },
  reindexing: { reason: "another embedder" }
}

const pathOf = ({ path }: Route, user: string) => path.replace("{id}", encodeURIComponent(user))

/** A valid request of a route about the person. */
const call = (route: Route, headers: Readonly<Record<string, string>>, body?: unknown) =>
  server.fetch(pathOf(route, person), {
    method: route.method,
    headers: { "content-type": "application/json", ...headers },
    ...(route.method === "GET" ? {} : { body: JSON.stringify(body ?? bodies[route.path.split("/").at(-1) ?? ""]) })
  })

const send = async (method: string, path: string, body?: unknown, role = "owner") => {
  const response = await server.fetch(path, {
    method,
    headers: { cookie: await cookieOf(role), "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, body: (await response.json()) as Record<string, never> }
}

/** Everything that operators see of the person. */
const seen = async () => {
  const at = `/api/admin/users/${encodeURIComponent(person)}`
  const { body: audit } = await send("GET", `/api/admin/audit?user=${encodeURIComponent(person)}`)
  return [(await send("GET", at)).body, (await send("GET", `${at}/history`)).body, audit]
}

describe.each(admin.map((route) => [nameOf(route), route] as const))("%s", (name, route) => {
  const isWrite = route.method !== "GET"

  test("is refused without a session, and for every session without a role in its signed claim", async () => {
    const before = await seen()
    await expectProblem(await call(route, {}), 401, "unauthorized")
    await expectProblem(await call(route, { authorization: "Bearer a-key-of-a-service" }), 401, "unauthorized")
    const forged = await cookieFor("olga", { secret: otherSecret, claims: { parley_role: "owner" } })
    await expectProblem(await call(route, { cookie: forged }), 401, "unauthorized")
    const strangers: ReadonlyArray<Readonly<Record<string, unknown>>> = [
      {},
      { role: "owner" },
      { role: "authenticated" },
      { parley_role: ["owner"] },
      { parley_role: { owner: true } },
      { parley_role: "Owner" },
      { parley_role: "owner " },
      { parley_role: "admin" },
      { parley_role: true },
      { user_metadata: { parley_role: "owner" } },
      { app_metadata: { parley_role: "owner" } },
      { "https://example.com/parley_role": "owner" }
    ]
    for (const claims of strangers) {
      const response = await call(route, { cookie: await cookieFor("olga", { claims }) })
      await expectProblem(response, 403, "role_missing")
    }
    const claimed = { cookie: await cookieFor("olga"), parley_role: "owner", "x-parley-role": "owner" }
    await expectProblem(await call(route, claimed, { ...bodies["block"], parley_role: "owner" }), 403, "role_missing")
    expect(await seen()).toEqual(before)
  })

  test(isWrite ? "is refused to support, and changes nothing" : "is answered to support", async () => {
    const before = await seen()
    const response = await call(route, { cookie: await cookieOf("support") })
    if (isWrite) await expectProblem(response, 403, "role_missing")
    else expect(response.status).toBe(200)
    expect(await seen()).toEqual(before)
  })

  test("is answered to an owner, and refused from a page of another site", async () => {
    const cookie = await cookieOf("owner")
    if (isWrite) {
      await expectProblem(await call(route, { cookie, "sec-fetch-site": "cross-site" }), 403, "cross_site_request")
    }
    const response = await call(route, { cookie })
    if (name.endsWith("/refunds")) return expectProblem(response, 404, "purchase_not_found")
    expect(response.status).toBe(200)
  })

  test(
    isWrite ? "demands a sign-in of the last 15 minutes, and changes nothing" : "takes a sign-in of any age",
    async () => {
      const before = await seen()
      const now = secondsNow()
      const notFresh = [
        {},
        { iat: now - 901 },
        { iat: now, auth_time: now - 901 },
        { iat: now, auth_time: now * 1000 },
        { iat: now, auth_time: String(now) }
      ]
      for (const claims of notFresh) {
        const response = await call(route, { cookie: await cookieOf("owner", "olga", claims) })
        if (isWrite) {
          const problem = await expectProblem(response, 403, "fresh_sign_in_required")
          expect(problem).toMatchObject({ maxAgeSeconds: 900 })
        } else expect(response.status).toBe(200)
      }
      expect(await seen()).toEqual(before)
      const fresh = { iat: now - 2_000, auth_time: now - 890 }
      expect((await call(route, { cookie: await cookieOf("owner", "olga", fresh) })).status).not.toBe(403)
    }
  )

  test("is refused to a blocked operator", async () => {
    const operator = `blocked-${crypto.randomUUID()}`
    await server.parley.users.block(operator)
    await expectProblem(await call(route, { cookie: await cookieOf("owner", operator) }), 403, "blocked")
  })
})

test.each(writes.map((route) => [nameOf(route), route] as const))("%s wants a reason", async (_, route) => {
  const { reason: _reason, ...rest } = bodies[route.path.split("/").at(-1) ?? ""] ?? {}
  const cookie = await cookieOf("owner")
  for (const reason of [undefined, "", "  ", "two\nlines", 7, "x".repeat(501)]) {
    await expectProblem(await call(route, { cookie }, { ...rest, reason }), 400, "invalid_request")
  }
})

test("every write is entered in the audit log with operator, address and reason, together with its effect", async () => {
  const at = `/api/admin/users/${encodeURIComponent(person)}`
  for (const route of writes) await call(route, { cookie: await cookieOf("owner"), "x-forwarded-for": "198.51.100.9" })
  const { body } = await send("GET", `/api/admin/audit?user=${encodeURIComponent(person)}`, undefined, "support")
  const entries = body["entries"] as unknown as ReadonlyArray<Record<string, unknown>>
  expect(entries.map(({ action, reason }) => `${String(action)}: ${String(reason)}`).toReversed()).toEqual([
    "users block: abuse",
    "users unblock: a mistake",
    "users sign-out: a lost laptop",
    "credits grant: an apology",
    "credits adjust: granted twice",
    "users tier: a pilot",
    "users tier: the pilot ended"
  ])
  for (const entry of entries) {
    expect(entry).toMatchObject({ by: "user:olga", userId: person, address: expect.stringMatching(/127\.0\.0\.1|::1/) })
  }
  expect((await send("GET", at)).body).toMatchObject({ userId: person, blockedAt: null, account: { tier: "pro" } })
})

test("the same key moves credits once, other content under it is refused, and an unknown person gets no account", async () => {
  const at = `/api/admin/users/${encodeURIComponent(person)}`
  const grant = { amount: 50, key: "ticket-9", reason: "an apology" }
  const first = await send("POST", `${at}/grants`, grant)
  expect(await send("POST", `${at}/grants`, grant)).toEqual(first)
  expect((await send("POST", `${at}/grants`, { ...grant, amount: 51 })).status).toBe(422)
  const correction = { ...grant, key: "ticket-10", amount: -7 }
  const corrected = await Promise.all(Array.from({ length: 8 }, () => send("POST", `${at}/adjustments`, correction)))
  expect(corrected.map(({ body }) => body["transaction"])).toEqual(
    corrected.map(() => corrected[0]?.body["transaction"])
  )
  const { body } = await send("GET", `/api/admin/audit?user=${encodeURIComponent(person)}`)
  expect(body["entries"]).toMatchObject([
    { action: "credits adjust", address: expect.any(String) },
    { action: "credits grant", address: expect.any(String) }
  ])
  expect(body["entries"]).toHaveLength(2)
  for (const path of ["grants", "adjustments", "tier", "unpin"]) {
    const method = path === "tier" ? "PUT" : "POST"
    expect((await send(method, `/api/admin/users/nobody-here/${path}`, bodies[path])).status).toBe(404)
  }
  expect((await send("GET", "/api/admin/users/nobody-here")).status).toBe(404)
  expect((await send("PUT", `${at}/tier`, { tier: "gold", reason: "x" })).status).toBe(422)
})

test("an operator's key never takes the key of a payment, and is the same event for a back end", async () => {
  const at = `/users/${encodeURIComponent(person)}/grants`
  const grant = { amount: 50, key: "topup:cs_1", reason: "an apology" }
  await send("POST", `/api/admin${at}`, grant)
  await server.fetch(`/v1${at}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.serviceKey.key}`, "content-type": "application/json" },
    body: JSON.stringify(grant)
  })
  expect(await server.parley.credits.balance(person)).toMatchObject({ topup: 50 })
  const { transactions } = await server.parley.credits.history({ userId: person, limit: 1, offset: 0 })
  expect(transactions[0]?.reference).toBe("grant:topup:cs_1")
})

test("people are found by a part of the id and listed page by page; the audit log has pages, too", async () => {
  const tag = crypto.randomUUID()
  for (const user of [`b-${tag}`, `a-${tag}`, `c-${tag}`]) await server.fetch("/api/me", { user })
  await send("POST", `/api/admin/users/c-${tag}/block`, { reason: "abuse" })
  const found = async (query: string) => (await send("GET", `/api/admin/users?search=${tag}${query}`)).body
  const idsOf = (page: Record<string, unknown>) =>
    (page["users"] as ReadonlyArray<{ userId: string }>).map(({ userId }) => userId)
  const page = await found("&limit=2")
  expect(idsOf(page)).toEqual([`a-${tag}`, `b-${tag}`])
  const last = await found(`&limit=2&after=${String(page["next"])}`)
  expect([idsOf(last), last["next"]]).toEqual([[`c-${tag}`], null])
  expect(idsOf(await found("&blocked=true"))).toEqual([`c-${tag}`])
  await send("POST", `/api/admin/users/c-${tag}/unblock`, { reason: "a mistake" })
  const { body } = await send("GET", `/api/admin/audit?user=c-${tag}&limit=1`)
  const next = Number(body["next"])
  const { body: rest } = await send("GET", `/api/admin/audit?user=c-${tag}&limit=1&before=${next}`)
  expect([body["entries"], rest["entries"]]).toMatchObject([[{ action: "users unblock" }], [{ action: "users block" }]])
  expect(rest["next"]).toBeNull()
})

test("re-indexing is started for all people or for one, counted, and entered in the audit log", async () => {
  const reason = "another embedder"
  const { body: state } = await send("POST", "/api/admin/reindexing", { reason, userId: person })
  expect(state).toMatchObject({
    documents: 0,
    outdated: 0,
    groups: [],
    jobs: { running: 0 },
    stopped: [],
    failures: []
  })
  expect((state["jobs"] as unknown as { readonly waiting: number }).waiting).toBeGreaterThanOrEqual(1)
  await send("POST", "/api/admin/reindexing", { reason })
  const entry = { action: "reindex", by: "user:olga", reason, address: expect.any(String) }
  const { body: own } = await send("GET", `/api/admin/audit?user=${encodeURIComponent(person)}`)
  expect(own["entries"]).toMatchObject([{ ...entry, userId: person }])
  const { body: all } = await send("GET", "/api/admin/audit?limit=1")
  expect(all["entries"]).toMatchObject([{ ...entry, userId: null }])
  expect((await send("GET", "/api/admin/reindexing/estimate", undefined, "support")).body).toEqual({
    ...{ documents: 0, passages: 0, outdated: 0, outdatedPassages: 0, failed: 0 },
    ...{ tokens: 0, embedder: null, usd: 0 }
  })
  expect((await send("POST", "/api/admin/reindexing", { reason, userId: "" })).status).toBe(400)
})

test("the state of the service names jobs, payment events, destinations and refusals", async () => {
  await server.fetch("/api/chat")
  const { body } = await send("GET", "/api/admin/health", undefined, "support")
  expect(body).toMatchObject({
    jobs: { failed: 0 },
    // The re-indexing that was started above: this server works on no jobs.
    workers: { due: 2, oldestDueSeconds: expect.any(Number) },
    paymentEvents: { waiting: 0, refused: 0, unreadable: 0, owed: 0 },
    destinations: [],
    vendors: expect.any(Array),
    refusals: { "unauthorized missing": expect.any(Number), role_missing: expect.any(Number) }
  })
})

test("the state of the service counts the replies that a model failed, by vendor, model and reason", async () => {
  const failures = async () => {
    const { body } = await send("GET", "/api/admin/health", undefined, "support")
    const vendors = body["vendors"] as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>
    const found = vendors.find(({ reason, vendor }) => vendor === "scripted" && reason === "rate-limited")
    return { model: found?.["model"], count: Number(found?.["failures"] ?? 0) }
  }
  const before = await failures()
  const { answer } = server.model
  const next = server.model.nextCall()
  const chat = server.post("/api/chat", { messages: [{ role: "user", content: "Hello" }] }, person)
  ;(await next).fail("rate-limited")
  server.model.answer = answer
  expect((await chat).status).toBe(500)
  expect(await failures()).toEqual({ model: "model-a-mini", count: before.count + 1 })
})

test("the role of a session is shown to its person, and to no other", async () => {
  const me = async (cookie: string) => (await server.fetch("/api/me", { headers: { cookie } })).json()
  expect(await me(await cookieOf("support"))).toMatchObject({ role: "support" })
  expect(await me(await cookieOf("root"))).not.toHaveProperty("role")
})

test("the money of the last days sums the charges of all people by day and model, and changes nothing", async () => {
  const before = (await send("GET", "/api/admin/money", undefined, "support")).body
  const sums = (body: Record<string, unknown>) =>
    (body["charges"] as ReadonlyArray<{ replies: number; credits: number }>).reduce<readonly [number, number]>(
      ([replies, credits], row) => [replies + row.replies, credits + row.credits],
      [0, 0]
    )
  const user = `payer-${crypto.randomUUID()}`
  const chat = await server.post("/api/chat", { messages: [{ role: "user", content: "Hello" }] }, user)
  expect(chat.status).toBe(200)
  await chat.text()
  const [charged] = (await server.parley.credits.history({ userId: user, limit: 1, offset: 0 })).transactions
  const { body } = await send("GET", "/api/admin/money?days=7", undefined, "support")
  expect(charged?.amount).toBeLessThan(0)
  expect(sums(body)).toEqual([sums(before)[0] + 1, sums(before)[1] - (charged?.amount ?? 0)])
  expect([body["from"], body["to"]]).toEqual([
    new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10),
    new Date().toISOString().slice(0, 10)
  ])
  expect([body["revenue"], body["verification"]]).toEqual([[], null])
  await Effect.runPromise(stores.taskRuns.end("verify", 2))
  expect((await send("GET", "/api/admin/money")).body["verification"]).toEqual({
    endedAt: expect.stringMatching(/^\d{4}-/),
    differences: 2
  })
  for (const days of ["0", "91", "x"]) expect((await send("GET", `/api/admin/money?days=${days}`)).status).toBe(400)
})

test("payments are listed by state, page by page, with reasons and without their content", async () => {
  const keep = (id: string, state: "refused" | "waiting") =>
    Effect.runPromise(
      stores.paymentEvents.keep(
        { id, kind: "invoice.paid", createdAt: 0, customerId: "cus_secret", payload: '{"card":"4242"}' },
        { state, note: "it is of the other mode" }
      )
    )
  for (const id of ["evt_1", "evt_2", "evt_3"]) await keep(id, "refused")
  await keep("evt_4", "waiting")
  const { body } = await send("GET", "/api/admin/payments?state=refused&limit=2", undefined, "support")
  const { body: rest } = await send("GET", `/api/admin/payments?state=refused&limit=2&before=${String(body["next"])}`)
  const found = [body, rest].flatMap((page) => page["events"] as unknown as ReadonlyArray<{ readonly id: string }>)
  expect(found.map(({ id }) => id).toSorted()).toEqual(["evt_1", "evt_2", "evt_3"])
  expect(found[0]).toMatchObject({ state: "refused", note: "it is of the other mode", userId: null })
  expect(rest["next"]).toBeNull()
  expect(JSON.stringify([body, rest])).not.toMatch(/4242|cus_secret/)
  expect((await send("GET", "/api/admin/payments?state=lost")).status).toBe(400)
})

test("a cursor that no page gave is refused, with the name of its parameter", async () => {
  for (const path of ["users?after=ann", "users?after=", "payments?before=evt_1", "verification?after=ann"]) {
    const { body, status } = await send("GET", `/api/admin/${path}`, undefined, "support")
    const [, name] = /\?(\w+)=/.exec(path) ?? []
    expect([path, status, body]).toMatchObject([path, 400, { code: "invalid_request", issues: [{ path: name }] }])
  }
})

test("a verification compares every account once, page by page", async () => {
  const tag = crypto.randomUUID()
  for (const user of ["a", "b", "c"]) await server.fetch("/api/me", { user: `${tag}-${user}` })
  const all = (await send("GET", "/api/admin/verification", undefined, "support")).body
  expect(all).toMatchObject({ differences: [], next: null })
  let compared = 0
  let after: string | null = ""
  while (after !== null) {
    const { body } = await send(
      "GET",
      `/api/admin/verification?limit=2${after && `&after=${encodeURIComponent(after)}`}`
    )
    compared += Number(body["accounts"])
    after = body["next"] ?? null
  }
  expect(compared).toBe(Number(all["accounts"]))
  expect((await send("GET", "/api/admin/verification?limit=501")).status).toBe(400)
})
