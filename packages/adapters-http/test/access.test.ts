import { createHash } from "node:crypto"
import { openInMemory, SERVICE_SCOPES } from "@parley/core"
import { InvalidSignature, type PaymentProvider } from "@parley/core/adapter"
import { makeWebCryptoSecretBox, parseSecretKeys } from "@parley/core/effect"
import { neutralProvider, scriptedCrm } from "@parley/core/testing"
import { widgetFiles } from "@parley/widget/files"
import { Effect, Result, Schema } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { HmacSessionVerifier, type Route, routes } from "../src/index.ts"
import { accessMatrix, type Column, columns } from "./support/accessMatrix.ts"
import { PNG } from "./support/png.ts"
import { expectOpenAiError } from "./support/expectOpenAiError.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw } from "./support/openRaw.ts"
import { AUDIENCE, cookieFor, SECRET, startServer, type TestServer } from "./support/startServer.ts"

const OWNER = "owner"
const EXPIRED_KEY = `parley_sk_${"0".repeat(16)}_${"1".repeat(64)}`
const STRANGER = "stranger"
/** The person whom operators change. */
const MANAGED = "managed"
const otherSecret = new TextEncoder().encode("another secret, just as long as the first")

/** A provider whose customers are named after their creation key, and whose events are unsigned. */
const payments = {
  ...neutralProvider(),
  verify: () => Effect.fail(new InvalidSignature({ problem: "mismatch" }))
} satisfies PaymentProvider

let server: TestServer
const crm = scriptedCrm()
const secretKeys = Result.getOrThrow(
  parseSecretKeys(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex"))
)

let owned: {
  chatId: string
  messageId: string
  shareId: string
  projectId: string
  imageId: string
  documentId: string
  botId: string
  publicKey: string
  conversationId: string
  visitReplyId: string
  /** The query of a callback from the provider, and the browser's cookie for it. */
  callback: string
  stateCookie: string
}
beforeAll(async () => {
  const config = {
    tiers: { free: { monthlyCredits: 100_000, maxDocuments: 10_000 } },
    prices: { price_credits: { topup: 700 } },
    widget: {
      perIpPerMinute: 100_000,
      perConversationPerMinute: 100_000,
      perBotPerMinute: 100_000,
      ownerDailyCredits: 100_000
    }
  }
  const secrets = await Effect.runPromise(makeWebCryptoSecretBox(secretKeys))
  const stores = await openInMemory()
  const digest = createHash("sha256").update(EXPIRED_KEY).digest("hex")
  const expired = { id: "0".repeat(16), name: "expired", scopes: SERVICE_SCOPES, digest, expiresAt: 0 }
  await Effect.runPromise(stores.serviceKeys.insert(expired))
  const sessions = HmacSessionVerifier.make({ secret: SECRET, audience: AUDIENCE })
  server = await startServer({
    parley: { ...stores, work: ["holds"], config, payments, crm: [crm.provider], secrets },
    app: { sessions, cronSecret: "of-the-schedules" }
  })
})
afterAll(() => server.close())

/** Something of the owner's for a route to be called with. */
const createOwned = async () => {
  const reply = await server.post("/api/chat", { messages: [{ role: "user", content: "Mine." }] }, OWNER)
  await reply.text()
  const form = new FormData()
  form.set("file", new File(["mine"], "mine.txt"))
  const uploaded = await server.fetch("/api/upload", { method: "POST", user: OWNER, body: form })
  await server.fetch("/api/billing/portal", { method: "POST", user: OWNER })
  const { documentId } = (await uploaded.json()) as { documentId: string }
  for (const old of await server.parley.bots.list(OWNER)) await server.parley.bots.remove(OWNER, old.id)
  const { id: botId } = await server.parley.bots.create(OWNER, {
    displayName: "Mine too.",
    handOver: true,
    visitorUploads: true
  })
  const { keys } = await server.parley.bots.addKey(OWNER, botId)
  const publicKey = keys[0]?.publicKey ?? ""
  const visit = await server.post("/api/widget/chat", { publicKey, visitorId: "v-1", message: "Hello." })
  await visit.text()
  const conversationId = visit.headers.get("x-conversation-id") ?? ""
  const visitReplyId = visit.headers.get("x-message-id") ?? ""
  const redirectUri = `${server.url}/api/crm/provider_one/callback`
  const connect = () => server.parley.crm.connect({ owner: OWNER, botId, provider: "provider_one", redirectUri })
  const [made, open] = [await connect(), await connect()]
  const done = { owner: OWNER, by: OWNER, provider: "provider_one", callback: crm.approve(made.url) }
  await server.parley.crm.callback({ ...done, kept: () => made.state.sealed })
  const stateCookie = `parley_crm_${open.state.id}=${open.state.sealed}`
  const callback = String(crm.approve(open.url))
  const chatId = reply.headers.get("x-chat-id") ?? ""
  const messageId = reply.headers.get("x-message-id") ?? ""
  const { id: shareId } = await server.parley.chat.share(OWNER, chatId)
  for (const old of await server.parley.projects.list(OWNER)) await server.parley.projects.remove(OWNER, old.id)
  const { id: projectId } = await server.parley.projects.create(OWNER, { name: "Mine." })
  const { id: imageId } = await server.parley.images.add(OWNER, PNG)
  owned = {
    chatId,
    messageId,
    shareId,
    projectId,
    imageId,
    documentId,
    botId,
    publicKey,
    conversationId,
    visitReplyId,
    callback,
    stateCookie
  }
}

/** The number of tests that have begun. */
let tests = 0
beforeEach(() => void (tests += 1))

/** Everything of the owner's, from a test that has shown that it changed nothing: the next one may use the same. */
let untouched: { readonly all: Awaited<ReturnType<typeof everything>>; readonly by: number } | undefined

/** Creates unchanged data of the owner; returns everything of the owner's. */
const haveOwned = async () => {
  if (untouched?.by === tests - 1) return untouched.all
  await createOwned()
  return everything()
}

/** Shows that everything is as it was. */
const expectUntouched = async (before: Awaited<ReturnType<typeof everything>>) => {
  expect(await everything()).toEqual(before)
  untouched = { all: before, by: tests }
}

/** The id of the owner's data in the path of a route. */
const idOf = ({ path }: Route): string =>
  path.startsWith("/api/admin/")
    ? MANAGED
    : path.startsWith("/v1/users/")
      ? OWNER
      : path.includes("chats")
        ? owned.chatId
        : path.includes("bots")
          ? owned.botId
          : path.includes("projects")
            ? owned.projectId
            : path.includes("images")
              ? owned.imageId
              : owned.documentId

/** A file of the widget. */
const assetName = () => [...(widgetFiles()?.assets.keys() ?? [])][0] ?? ""

/** A valid request of a route, about the owner's data. */
const requestOf = (route: Route): { readonly path: string; readonly init: RequestInit } => {
  const queries: Readonly<Record<string, string>> = {
    "/api/billing/invoices": `?customerId=${encodeURIComponent(`cus_customer:${OWNER}`)}`,
    "/api/crm/{provider}/connect": `?botId=${owned.botId}`,
    "/api/crm/{provider}/callback": `?${owned.callback}`
  }
  const query = queries[route.path] ?? ""
  const values: Readonly<Record<string, string>> = {
    id: idOf(route),
    key: owned.publicKey,
    publicKey: owned.publicKey,
    conversationId: owned.conversationId,
    message: owned.messageId,
    share: owned.shareId,
    name: assetName(),
    provider: "provider_one"
  }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "") + query
  if (route.body === undefined) return { path, init: { method: route.method } }
  if (route.body.contentType === "multipart/form-data") {
    const body = new FormData()
    const isImage = route.path === "/api/images"
    body.set("file", isImage ? new File([PNG], "new.png") : new File(["new"], "new.txt"))
    // A form of a person ignores the fields of a visitor's.
    body.set("publicKey", owned.publicKey)
    body.set("visitorId", "v-1")
    return { path, init: { method: route.method, body } }
  }
  if (route.body.contentType === "application/octet-stream") return { path, init: { method: route.method, body: "{}" } }
  if (route.body.contentType === "application/x-www-form-urlencoded") {
    return { path, init: { method: route.method, body: new URLSearchParams({ email: "owner@example.com" }) } }
  }
  const bodies: Readonly<Record<string, unknown>> = {
    "/csp-reports": { "csp-report": { "effective-directive": "script-src" } },
    "/api/bots": { displayName: "New", documentIds: [owned.documentId] },
    "/api/bots/{id}": { displayName: "Renamed" },
    "/api/widget/chat": { publicKey: owned.publicKey, visitorId: "v-1", message: "And?" },
    "/api/widget/rating": {
      publicKey: owned.publicKey,
      visitorId: "v-1",
      conversationId: owned.conversationId,
      messageId: owned.visitReplyId,
      rating: "good"
    },
    "/api/widget/conversation": {
      publicKey: owned.publicKey,
      visitorId: "v-1",
      conversationId: owned.conversationId
    },
    "/api/widget/person": { publicKey: owned.publicKey, visitorId: "v-1", conversationId: owned.conversationId },
    "/api/bots/{id}/conversations/{conversationId}/answers": { content: "Here." },
    "/api/bots/{id}/conversations/{conversationId}/state": { state: "open" },
    "/api/chats/{id}": { title: "Renamed" },
    "/api/chats/{id}/documents": { documentIds: [owned.documentId] },
    "/api/chats/{id}/share": {},
    "/api/chats/{id}/messages/{message}/rating": { rating: "good" },
    "/api/projects": { name: "New", documentIds: [owned.documentId] },
    "/api/projects/{id}": { name: "Renamed" },
    "/api/preferences": { instructions: "Be brief.", modelId: null },
    "/api/chat": {
      messages: [{ role: "user", content: "And?" }],
      chatId: owned.chatId,
      documentIds: [owned.documentId]
    },
    "/api/billing/checkout": { priceId: "price_credits", mode: "one-time" },
    "/api/rag": { documentId: owned.documentId },
    "/v1/credits/reserve": { userId: OWNER, key: "work", amount: 1 },
    "/v1/credits/renew": { userId: OWNER, key: "work" },
    "/v1/credits/settle": { userId: OWNER, key: "work", lines: [{ label: "pages", quantity: 1, unitPrice: 1 }] },
    "/v1/credits/release": { userId: OWNER, key: "work" },
    "/v1/chat/completions": {
      model: "model-a-mini",
      user: OWNER,
      messages: [{ role: "user", content: "Mine." }]
    },
    "/v1/users/{id}/grants": { amount: 1, key: "order-7" },
    "/v1/users/{id}/tier": { tier: "pro" },
    "/api/admin/users/{id}/block": { reason: "r" },
    "/api/admin/users/{id}/unblock": { reason: "r" },
    "/api/admin/users/{id}/sign-out": { reason: "r" },
    "/api/admin/users/{id}/grants": { amount: 1, key: "k", reason: "r" },
    "/api/admin/users/{id}/adjustments": { amount: -1, key: "k2", reason: "r" },
    "/api/admin/users/{id}/refunds": { payment: "pi_1", reason: "r" },
    "/api/admin/users/{id}/tier": { tier: "pro", reason: "r" },
    "/api/admin/users/{id}/unpin": { reason: "r" },
    "/api/admin/reindexing": { reason: "r" },
    "/api/account": { userId: OWNER },
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
  // The browser's cookie of a connection that the owner began, for every caller.
  const cookie = [headers["cookie"], owned.stateCookie].filter((each) => each !== undefined).join("; ")
  const kept = route.path.startsWith("/api/crm/") ? { cookie } : {}
  return fetch(`${server.url}${path}`, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), ...headers, ...kept },
    redirect: "manual"
  })
}

const nameOf = (route: Route) => `${route.method} ${route.path}`
const of = (access: string) =>
  routes.filter((route) => route.access.name === access).map((route) => [nameOf(route), route] as const)

/** The responses to another signed-in person about the owner's data. */
const strangersGet: Readonly<Record<string, number>> = {
  "POST /api/chat": 404,
  "GET /api/chats/{id}": 404,
  "PATCH /api/chats/{id}": 404,
  "PUT /api/chats/{id}/documents": 404,
  "PUT /api/chats/{id}/share": 404,
  "DELETE /api/chats/{id}/share": 404,
  "PUT /api/chats/{id}/messages/{message}/rating": 404,
  "DELETE /api/chats/{id}/messages/{message}/rating": 404,
  "GET /api/chats/{id}/stream": 404,
  "DELETE /api/chats/{id}/stream": 404,
  "DELETE /api/chats/{id}": 404,
  "GET /api/images/{id}": 404,
  "POST /api/projects": 403,
  "PATCH /api/projects/{id}": 404,
  "DELETE /api/projects/{id}": 404,
  "POST /api/bots": 403,
  "GET /api/bots/{id}": 404,
  "PATCH /api/bots/{id}": 404,
  "DELETE /api/bots/{id}": 404,
  "POST /api/bots/{id}/keys": 404,
  "DELETE /api/bots/{id}/keys/{key}": 404,
  "GET /api/crm/{provider}/connect": 404,
  "GET /api/crm/{provider}/callback": 303,
  "GET /api/bots/{id}/crm": 404,
  "DELETE /api/bots/{id}/crm/{provider}": 404,
  "GET /api/bots/{id}/report": 404,
  "GET /api/bots/{id}/report.csv": 404,
  "GET /api/bots/{id}/sites": 404,
  "GET /api/bots/{id}/conversations": 404,
  "GET /api/bots/{id}/conversations.jsonl": 403,
  "GET /api/bots/{id}/conversations.csv": 403,
  "GET /api/bots/{id}/conversations/{conversationId}": 404,
  "DELETE /api/bots/{id}/conversations/{conversationId}": 404,
  "GET /api/bots/{id}/inbox": 404,
  "POST /api/bots/{id}/conversations/{conversationId}/answers": 404,
  "PUT /api/bots/{id}/conversations/{conversationId}/state": 404,
  "POST /api/rag": 403,
  "GET /api/documents/{id}": 404,
  "DELETE /api/documents/{id}": 404,
  "GET /api/documents/{id}/text": 404,
  "GET /api/documents/{id}/file": 404,
  "GET /api/billing/invoices": 404,
  "GET /api/account/export": 403,
  "DELETE /api/account": 403
}

/** The owner's responses from routes that need another state: processed documents, a fresh sign-in. */
const ownersGet: Readonly<Record<string, number>> = {
  "GET /api/documents/{id}/text": 409,
  "GET /api/bots/{id}/conversations.jsonl": 403,
  "GET /api/bots/{id}/conversations.csv": 403,
  "GET /api/account/export": 403,
  "DELETE /api/account": 403
}

/** Ways of not being signed in. */
const strange: ReadonlyArray<readonly [string, () => Promise<Record<string, string>> | Record<string, string>]> = [
  ["no cookie", () => ({})],
  ["an empty cookie", () => ({ cookie: "parley_session=" })],
  ["garbage", () => ({ cookie: "parley_session=garbage" })],
  ["another cookie", async () => ({ cookie: (await cookieFor(OWNER)).replace("parley_session", "session") })],
  ["an expired token", async () => ({ cookie: await cookieFor(OWNER, { expiresAt: "-2m" }) })],
  ["another audience", async () => ({ cookie: await cookieFor(OWNER, { claims: { aud: "another" } }) })],
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
    "a bearer token that is forged beside a cookie that is not",
    async () => ({
      authorization: `Bearer ${(await cookieFor(OWNER, { secret: otherSecret })).slice("parley_session=".length)}`,
      cookie: await cookieFor(OWNER)
    })
  ],
  ["a bearer token without a token", async () => ({ authorization: "Bearer ", cookie: await cookieFor(OWNER) })],
  [
    "a token of another scheme",
    async () => ({ authorization: `Token ${(await cookieFor(OWNER)).slice("parley_session=".length)}` })
  ],
  ["no subject", async () => ({ cookie: await cookieFor("") })],
  ["a subject of 256 characters", async () => ({ cookie: await cookieFor("x".repeat(256)) })],
  ["a subject with NUL", async () => ({ cookie: await cookieFor("a\0b") })]
]

describe.each(of("session"))("%s", (name, route) => {
  test.each(strange)("with %s is 401 and changes nothing", async (_, headers) => {
    const before = await haveOwned()
    await expectProblem(await call(route, await headers()), 401, "unauthorized")
    await expectUntouched(before)
  })

  test("the owner may", async () => {
    await haveOwned()
    const response = await call(route, { cookie: await cookieFor(OWNER) })
    if (ownersGet[name] !== undefined) return expect(response.status).toBe(ownersGet[name])
    const declared = route.responses[response.status]
    const text = await response.text()
    expect(declared).toBeDefined()
    if (declared?.schema !== undefined) Schema.decodeUnknownSync(declared.schema as never)(JSON.parse(text))
    else expect(response.status === 204 || declared?.contentType === undefined).toBe(text === "")
  })

  test("another person gets nothing of the owner's", async () => {
    const before = await haveOwned()
    const response = await call(route, { cookie: await cookieFor(STRANGER) })
    const text = await response.text()
    const expected = strangersGet[name] ?? Number(Object.keys(route.responses)[0])
    expect(response.status).toBe(expected)
    if (expected < 400)
      for (const secret of ["Mine.", "mine.txt", "Mine too.", owned.chatId, owned.botId])
        expect(text).not.toContain(secret)
    await expectUntouched(before)
  })
})

const byId = of("session").filter(([name, route]) => strangersGet[name] === 404 && route.path.includes("{id}"))
test.each(byId)("%s: another person's data looks like data that does not exist", async (_, route) => {
  await createOwned()
  const cookie = await cookieFor(STRANGER)
  const answerAbout = async (id: string) => {
    const { init } = requestOf(route)
    const path = route.path
      .replace("{id}", id)
      .replace("{key}", owned.publicKey)
      .replace("{provider}", "provider_one")
      .replace("{conversationId}", owned.conversationId)
    const response = await fetch(`${server.url}${path}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), cookie, "x-request-id": "same" }
    })
    return { status: response.status, body: (await response.text()).replaceAll(id, "ID") }
  }
  const foreign = await answerAbout(idOf(route))
  expect(foreign).toEqual(await answerAbout("00000000-0000-4000-8000-000000000000"))
})

describe.each(of("visitor"))("%s", (_, route) => {
  test.each(strange)("with %s answers as any other client: no cookie is read or set", async (_name, headers) => {
    await createOwned()
    for (const sent of [await headers(), { cookie: await cookieFor(OWNER) }, { cookie: await cookieFor(STRANGER) }]) {
      const response = await call(route, sent)
      const expected = Number(Object.keys(route.responses)[0])
      expect([response.status, response.headers.get("set-cookie")]).toEqual([expected, null])
      const text = await response.text()
      for (const secret of ["Mine.", "mine.txt", OWNER, owned.botId]) expect(text).not.toContain(secret)
    }
  })
})

describe.each(of("optional session"))("%s", (_, route) => {
  test.each(strange)("with %s reports no signed-in person, which is no error", async (_name, headers) => {
    const response = await call(route, await headers())
    expect([response.status, await response.json()]).toEqual([200, { me: null }])
  })

  test("returns for a signed-in person the same as /api/me", async () => {
    const headers = { cookie: await cookieFor(OWNER) }
    const me = await (await server.fetch("/api/me", { headers })).json()
    expect(me).toMatchObject({ userId: OWNER })
    expect(await (await call(route, headers)).json()).toEqual({ me })
  })
})

describe.each(of("public"))("%s", (_, route) => {
  test("needs no session", async () => {
    const response = await call(route, {})
    expect(response.status).toBe(route.path === "/csp-reports" ? 204 : 200)
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

  test("is served only to a client with the secret, signed in or not", async () => {
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

describe.each(of("sign-in"))("%s", (_, route) => {
  test("is open to any browser, and reads and sets no session without a code", async () => {
    for (const headers of [{}, { cookie: await cookieFor(OWNER) }, { cookie: "parley_session=garbage" }]) {
      const response = await call(route, headers)
      expect(Object.keys(route.responses)).toContain(String(response.status))
      expect(String(response.headers.get("set-cookie"))).not.toContain("parley_session")
      expect(await response.text()).not.toContain(OWNER)
    }
  })

  test("does not exist if the sign-in is off, or at a host that mails must not lead to", async () => {
    const plain = await startServer({ app: { emailSignIn: undefined } })
    const { path, init } = requestOf(route)
    await expectProblem(await plain.fetch(path, init), 404, "not_found")
    await plain.close()
    const head = `${route.method} ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`
    const raw = await openRaw(server.port)
    raw.socket.write(head)
    await raw.closed
    expect(raw.received()).toMatch(/^HTTP\/1\.1 404 /)
  })
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

describe.each(of("payment-signature"))("%s", (_, route) => {
  test.each(strange)("with %s is taken from its signer alone", async (_, headers) => {
    const before = await haveOwned()
    await expectProblem(await call(route, await headers()), 400, "invalid_signature")
    await expectProblem(await call(route, { cookie: await cookieFor(OWNER) }), 400, "invalid_signature")
    await expectUntouched(before)
  })
})

/** Checks a refusal in the form of the route. */
const expectRefusal = ({ failures }: Route, ...expected: Parameters<typeof expectProblem>) =>
  failures === undefined ? expectProblem(...expected) : expectOpenAiError(...expected)

describe.each(of("key"))("%s", (_, route) => {
  test.each(strange)("with %s is for who has a key alone, and changes nothing", async (_name, headers) => {
    const before = await haveOwned()
    await expectRefusal(route, await call(route, await headers()), 401, "service_key_invalid")
    await expectRefusal(route, await call(route, { cookie: await cookieFor(OWNER) }), 401, "service_key_invalid")
    await expectUntouched(before)
  })

  test("with a key that does not count is 401 and changes nothing, also beside the owner's cookie", async () => {
    const before = await haveOwned()
    const { key } = server.serviceKey
    const revoked = await server.parley.keys.create({ name: "r", scopes: SERVICE_SCOPES })
    await server.parley.keys.revoke(revoked.id)
    const tampered = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`
    for (const text of [EXPIRED_KEY, revoked.key, tampered, key.toUpperCase(), `${key} ${key}`, key.slice(0, -1)]) {
      const headers = { authorization: `Bearer ${text}`, cookie: await cookieFor(OWNER) }
      await expectRefusal(route, await call(route, headers), 401, "service_key_invalid")
    }
    await expectUntouched(before)
  })

  test.each(SERVICE_SCOPES)(
    "with a key that has the scope %s alone answers exactly if it asks for that",
    async (scope) => {
      const before = await haveOwned()
      const { key } = await server.parley.keys.create({ name: scope, scopes: [scope] })
      const response = await call(route, { authorization: `bearer ${key}` })
      if (route.access.scope === scope) return expect([401, 403]).not.toContain(response.status)
      expect(await expectRefusal(route, response, 403, "scope_missing")).toMatchObject({ scope: route.access.scope })
      await expectUntouched(before)
    }
  )
})

test("every scope opens a route", () => {
  const asked = new Set(routes.flatMap(({ access: { scope } }) => (scope === undefined ? [] : [scope])))
  expect([...asked].toSorted()).toEqual(SERVICE_SCOPES.toSorted())
})

/** The headers of each kind of caller. */
const headersOf: Readonly<Record<Column, (route: Route) => Promise<Record<string, string>>>> = {
  none: async () => ({}),
  expired: async () => ({ cookie: await cookieFor(OWNER, { expiresAt: "-2m" }) }),
  tampered: async () => ({ cookie: await cookieFor(OWNER, { secret: otherSecret }) }),
  "other audience": async () => ({ cookie: await cookieFor(OWNER, { claims: { aud: "another" } }) }),
  blocked: async () => ({ cookie: await cookieFor("blocked") }),
  "key without scope": async ({ access }) => {
    const scopes = SERVICE_SCOPES.filter((scope) => scope !== access.scope)
    const { key } = await server.parley.keys.create({ name: "scopeless", scopes })
    return { authorization: `Bearer ${key}` }
  },
  "other user": async () => ({ cookie: await cookieFor(STRANGER) }),
  "lower tier": async () => ({ cookie: await cookieFor("lower") }),
  support: async () => ({ cookie: await cookieFor("helper", { claims: { parley_role: "support" } }) }),
  operator: async () => ({
    cookie: await cookieFor("operator", { claims: { parley_role: "owner", iat: Math.floor(Date.now() / 1000) } })
  }),
  owner: async () => ({ cookie: await cookieFor(OWNER) })
}

describe("the authorisation matrix", () => {
  beforeAll(async () => {
    for (const user of [MANAGED, STRANGER, "lower", "blocked", "helper", "operator"]) {
      await (await server.fetch("/api/me", { headers: { cookie: await cookieFor(user) } })).text()
    }
    await server.parley.users.block("blocked")
    const headers = { authorization: `Bearer ${server.serviceKey.key}`, "content-type": "application/json" }
    const body = JSON.stringify({ tier: "business" })
    const path = `/v1/users/${STRANGER}/tier`
    expect((await server.fetch(path, { method: "PUT", headers, body })).status).toBe(200)
  })

  test("has exactly one row for every route", () => {
    expect(Object.keys(accessMatrix).toSorted()).toEqual(routes.map(nameOf).toSorted())
  })

  test.each(routes.map((route) => [nameOf(route), route] as const))("%s", async (name, route) => {
    await createOwned()
    const statuses: Array<number> = []
    for (const column of columns) {
      const response = await call(route, await headersOf[column](route))
      const text = await response.text()
      statuses.push(response.status)
      const isPublic = route.access.name === "visitor" || route.path === "/api/shared/{share}"
      const isTheirs = column === "owner" || isPublic
      for (const marker of isTheirs ? [] : ["Mine.", "mine.txt", "Mine too."]) expect(text).not.toContain(marker)
    }
    expect(statuses.join(" ")).toBe(accessMatrix[name])
  })

  test("POST /api/chat with a model of the highest tier is 403 to the lower tier, and changes nothing", async () => {
    const body = { messages: [{ role: "user", content: "Mine." }], modelId: "model-a" }
    const refused = await server.post("/api/chat", body, "lower")
    expect(await expectProblem(refused, 403, "model_not_allowed")).toMatchObject({ tier: "free", model: "model-a" })
    expect(await server.parley.chat.list({ userId: "lower", limit: 1, offset: 0 })).toMatchObject({ total: 0 })
    const allowed = await server.post("/api/chat", body, STRANGER)
    expect(allowed.status).toBe(200)
    await allowed.text()
  })
})

test("the first valid session among several cookies counts", async () => {
  const cookie = `parley_session=garbage; ${await cookieFor(OWNER, { secret: SECRET })}`
  expect((await server.fetch("/api/chat", { headers: { cookie } })).status).toBe(200)
})

/** The owner's data, as far as another caller could have changed it. */
const everything = async () => ({
  balance: await server.parley.credits.balance(OWNER),
  chats: await server.parley.chat.list({ userId: OWNER, limit: 200, offset: 0 }),
  chat: await server.parley.chat.get(OWNER, owned.chatId),
  documents: await server.parley.documents.list(OWNER),
  bots: await server.parley.bots.list(OWNER),
  crm: await server.parley.crm.list(OWNER, owned.botId),
  crmCalls: crm.calls.length
})
