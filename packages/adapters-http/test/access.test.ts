import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Route, routes } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, SECRET, startServer, type TestServer } from "./support/startServer.ts"

const OWNER = "owner"
const STRANGER = "stranger"
const otherSecret = new TextEncoder().encode("another secret, just as long as the first")

let server: TestServer
let owned: { chatId: string; documentId: string }
beforeAll(async () => {
  const config = { tiers: { free: { monthlyCredits: 100_000, maxDocuments: 10_000 } } }
  server = await startServer({ parley: { work: ["holds"], config } })
})
afterAll(() => server.close())

/** Something of the owner's for a route to be called with. */
const createOwned = async () => {
  const reply = await server.post("/api/chat", { messages: [{ role: "user", content: "Mine." }] }, OWNER)
  await reply.text()
  const form = new FormData()
  form.set("file", new File(["mine"], "mine.txt"))
  const uploaded = await server.fetch("/api/upload", { method: "POST", user: OWNER, body: form })
  const { documentId } = (await uploaded.json()) as { documentId: string }
  owned = { chatId: reply.headers.get("x-chat-id") ?? "", documentId }
}

/** A valid request of a route, about what the owner has. */
const requestOf = (route: Route): { readonly path: string; readonly init: RequestInit } => {
  const id = route.path.includes("chats") ? owned.chatId : owned.documentId
  const path = route.path.replace("{id}", id)
  if (route.body === undefined) return { path, init: { method: route.method } }
  if (route.body.contentType === "multipart/form-data") {
    const body = new FormData()
    body.set("file", new File(["new"], "new.txt"))
    return { path, init: { method: route.method, body } }
  }
  const bodies: Readonly<Record<string, unknown>> = {
    "/api/chat": {
      messages: [{ role: "user", content: "And?" }],
      chatId: owned.chatId,
      documentIds: [owned.documentId]
    },
    "/api/rag": { documentId: owned.documentId },
    "/dev/sign-in": { email: "owner@example.com" }
  }
  const body = bodies[route.path]
  if (body === undefined) throw new Error(`${route.method} ${route.path} needs a valid body here`)
  return {
    path,
    init: { method: route.method, body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  }
}

const call = async (route: Route, headers: Readonly<Record<string, string>>) => {
  const { path, init } = requestOf(route)
  return fetch(`${server.url}${path}`, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), ...headers }
  })
}

const nameOf = (route: Route) => `${route.method} ${route.path}`
const of = (access: string) =>
  routes.filter((route) => route.access.name === access).map((route) => [nameOf(route), route] as const)

/** What somebody signed in gets from a route about what belongs to the owner. */
const strangersGet: Readonly<Record<string, number>> = {
  "POST /api/chat": 404,
  "GET /api/chats/{id}": 404,
  "DELETE /api/chats/{id}": 404,
  "POST /api/rag": 403,
  "GET /api/documents/{id}": 404,
  "DELETE /api/documents/{id}": 404
}

/** Ways of not being signed in. */
const strange: ReadonlyArray<readonly [string, () => Promise<Record<string, string>> | Record<string, string>]> = [
  ["no cookie", () => ({})],
  ["an empty cookie", () => ({ cookie: "parley_session=" })],
  ["garbage", () => ({ cookie: "parley_session=garbage" })],
  ["another cookie", async () => ({ cookie: (await cookieFor(OWNER)).replace("parley_session", "session") })],
  ["an expired token", async () => ({ cookie: await cookieFor(OWNER, { expiresAt: "-1s" }) })],
  ["another key", async () => ({ cookie: await cookieFor(OWNER, { secret: otherSecret }) })],
  [
    "a token without a signature",
    async () => {
      const [, payload] = (await cookieFor(OWNER)).split(".")
      const header = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url")
      return { cookie: `parley_session=${header}.${payload}.` }
    }
  ],
  [
    "a changed subject",
    async () => {
      const [header, , signature] = (await cookieFor(STRANGER)).split(".")
      const claims = Buffer.from(JSON.stringify({ sub: OWNER, exp: 4_000_000_000 })).toString("base64url")
      return { cookie: `${header}.${claims}.${signature}` }
    }
  ],
  [
    "a bearer token instead",
    async () => ({
      authorization: `Bearer ${(await cookieFor(OWNER)).slice("parley_session=".length)}`
    })
  ],
  ["no subject", async () => ({ cookie: await cookieFor("") })],
  ["a subject of 256 characters", async () => ({ cookie: await cookieFor("x".repeat(256)) })],
  ["a subject with NUL", async () => ({ cookie: await cookieFor("a\0b") })]
]

describe.each(of("session"))("%s", (name, route) => {
  test.each(strange)("with %s is 401 and changes nothing", async (_, headers) => {
    await createOwned()
    const before = await everything()
    await expectProblem(await call(route, await headers()), 401, "unauthorized")
    expect(await everything()).toEqual(before)
  })

  test("the owner may", async () => {
    await createOwned()
    const response = await call(route, { cookie: await cookieFor(OWNER) })
    const declared = route.responses[response.status]
    const text = await response.text()
    expect(declared).toBeDefined()
    if (declared?.schema !== undefined) Schema.decodeUnknownSync(declared.schema as never)(JSON.parse(text))
    else expect(declared?.contentType === undefined).toBe(text === "")
  })

  test("somebody else gets nothing of the owner's", async () => {
    await createOwned()
    const before = await everything()
    const response = await call(route, { cookie: await cookieFor(STRANGER) })
    const text = await response.text()
    const expected = strangersGet[name] ?? Number(Object.keys(route.responses)[0])
    expect(response.status).toBe(expected)
    if (expected < 400) for (const secret of ["Mine.", "mine.txt", owned.chatId]) expect(text).not.toContain(secret)
    expect(await everything()).toEqual(before)
  })
})

const byId = of("session").filter(([name, route]) => strangersGet[name] === 404 && route.path.includes("{id}"))
test.each(byId)("%s: what is somebody else's looks like what does not exist", async (_, route) => {
  await createOwned()
  const cookie = await cookieFor(STRANGER)
  const answerAbout = async (id: string) => {
    const response = await fetch(`${server.url}${route.path.replace("{id}", id)}`, {
      method: route.method,
      headers: { cookie, "x-request-id": "same" }
    })
    return { status: response.status, body: (await response.text()).replaceAll(id, "ID") }
  }
  const foreign = await answerAbout(route.path.includes("chats") ? owned.chatId : owned.documentId)
  expect(foreign).toEqual(await answerAbout("00000000-0000-4000-8000-000000000000"))
})

describe.each(of("public"))("%s", (_, route) => {
  test("needs no session", async () => {
    const response = await call(route, {})
    expect(response.status).toBe(200)
    await response.text()
  })
})

const CRON_SECRET = "a secret for schedules"

describe.each(of("cron"))("%s", (_, route) => {
  const notTheSecret = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Bearer undefined",
    "Bearer null",
    "Bearer wrong",
    `Bearer ${CRON_SECRET.slice(0, -1)}`,
    `Bearer ${CRON_SECRET}x`,
    `Bearer ${CRON_SECRET.replaceAll(" ", "-").toUpperCase()}`,
    `Basic ${Buffer.from(`:${CRON_SECRET.replaceAll(" ", "-")}`).toString("base64")}`,
    CRON_SECRET.replaceAll(" ", "-")
  ]
  const withSecret = (cronSecret: string | undefined) => startServer({ app: { cronSecret } })
  const ask = (from: TestServer, authorization: string | undefined) =>
    from.fetch(route.path, { method: route.method, headers: authorization === undefined ? {} : { authorization } })

  test("is served to who sends the secret, and to nobody else, signed in or not", async () => {
    const secret = CRON_SECRET.replaceAll(" ", "-")
    const own = await withSecret(secret)
    for (const authorization of notTheSecret)
      await expectProblem(await ask(own, authorization), 401, "cron_unauthorized")
    await expectProblem(await own.fetch(route.path, { user: OWNER }), 401, "cron_unauthorized")
    const answer = await ask(own, `Bearer ${secret}`)
    expect(answer.status).toBe(200)
    await answer.text()
    await own.close()
  })

  test.each([[undefined], [""], [" "], ["undefined"], ["null"]])(
    "is closed to everybody where the secret is %j",
    async (secret) => {
      const closed = await withSecret(secret)
      for (const authorization of [...notTheSecret, `Bearer ${secret}`]) {
        await expectProblem(await ask(closed, authorization), 503, "cron_not_configured")
      }
      await closed.close()
    }
  )
})

describe.each(of("development"))("%s", (_, route) => {
  test("answers a local Host", async () => {
    await createOwned()
    const response = await call(route, {})
    expect(Object.keys(route.responses)).toContain(String(response.status))
  })

  test("does not exist where development sign-in is off", async () => {
    const plain = await startServer({ app: { developmentSessions: undefined } })
    const { path, init } = requestOf(route)
    await expectProblem(await plain.fetch(path, init), 404, "not_found")
    const document = (await (await plain.fetch("/openapi.json")).json()) as { paths: Record<string, unknown> }
    expect(Object.keys(document.paths)).not.toContain(route.path)
    await plain.close()
  })
})

test("every route has a row in this matrix", () => {
  const covered = (["session", "cron", "public", "development"] as const).flatMap((access) => of(access))
  expect(covered).toHaveLength(routes.length)
  expect(new Set(routes.map(nameOf)).size).toBe(routes.length)
})

test("the first valid session among several cookies counts", async () => {
  const cookie = `parley_session=garbage; ${await cookieFor(OWNER, { secret: SECRET })}`
  expect((await server.fetch("/api/chat", { headers: { cookie } })).status).toBe(200)
})

/** What the owner has, as far as anybody could have changed it. */
const everything = async () => ({
  balance: await server.parley.credits.balance(OWNER),
  chats: await server.parley.chat.list({ userId: OWNER, limit: 200, offset: 0 }),
  documents: await server.parley.documents.list(OWNER)
})
