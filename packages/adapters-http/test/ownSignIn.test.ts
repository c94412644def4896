import { runtimeOf } from "@parley/core/effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type HttpOptions, parleyListener, type SignedIn } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"
import { surfaces } from "./support/surfaces.ts"

/** The behaviour of the host's sign-in for a request with this word. */
const says: Readonly<Record<string, () => unknown>> = {
  ann: () => ({ userId: "ann" }),
  late: async () => ({ userId: "ann", email: "ann@example.com", expiresAt: 0 }),
  nobody: () => undefined,
  throws: () => {
    throw Object.assign(new Error("the password is hunter2\n    at hunter3"), { code: "unauthorized" })
  },
  rejects: () => Promise.reject(Object.assign(new Error("hunter2"), { code: "chat_not_found" })),
  "throws a text": () => {
    throw "hunter2"
  },
  "no name": () => ({ email: "ann@example.com" }),
  "an empty name": () => ({ userId: "" }),
  "a number": () => ({ userId: 7 }),
  "a long name": () => ({ userId: "x".repeat(256) }),
  null: () => null,
  true: () => true,
  "a bad time": () => ({ userId: "ann", expiresAt: Number.NaN })
}

const wordOf = (source: unknown): string => {
  const { headers } = source as { readonly headers: Headers | Record<string, string> }
  return (headers instanceof Headers ? headers.get("x-host-session") : headers["x-host-session"]) ?? "nobody"
}

const authenticate = (source: unknown) => says[wordOf(source)]?.() as SignedIn | undefined
const ownSignIn = { authenticate, sessions: undefined, developmentSessions: undefined, emailSignIn: undefined }

describe.each(surfaces)("the host's own sign-in behind %s", (_, surface) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ surface, app: ownSignIn })
  })
  afterAll(() => server.close())

  const me = (word: string) => server.fetch("/api/me", { headers: { "x-host-session": word } })

  test("says who people are, at once or later", async () => {
    expect(await (await me("ann")).json()).toMatchObject({ userId: "ann", email: null, sessionExpiresAt: null })
    expect(await (await me("late")).json()).toMatchObject({
      userId: "ann",
      email: "ann@example.com",
      sessionExpiresAt: "1970-01-01T00:00:00.000Z"
    })
  })

  test("is asked alone: neither a cookie nor a bearer token of ours counts beside it", async () => {
    const cookie = await cookieFor("ann")
    const authorization = `Bearer ${cookie.slice("parley_session=".length)}`
    await expectProblem(await server.fetch("/api/me", { headers: { cookie, authorization } }), 401, "unauthorized")
  })

  test.each(Object.keys(says).filter((word) => !["ann", "late", "nobody"].includes(word)))(
    "that fails or cannot be read (%s) is 500, without its text in answer or log",
    async (word) => {
      const body = await expectProblem(await me(word), 500, "internal_error")
      expect(JSON.stringify(body)).not.toContain("hunter")
      const line = server.log.findLast((each) => each.includes(String(body["requestId"])))
      expect(line).toContain("AuthenticateFailed")
      expect(server.log.join("\n")).not.toContain("hunter")
    }
  )

  test("leaves the body to the route", async () => {
    const init = { method: "POST", headers: { "x-host-session": "ann", "content-type": "application/json" } }
    const sent = { ...init, body: JSON.stringify({ messages: [{ role: "user", content: "Hello." }] }) }
    const reply = await server.fetch("/api/chat", sent)
    expect(reply.status).toBe(200)
    await reply.text()
  })

  test("does not change that writes of other sites are refused", async () => {
    const headers = { "x-host-session": "ann", "sec-fetch-site": "cross-site", origin: "https://evil.example" }
    const refused = await server.fetch("/api/rag", { method: "POST", headers })
    await expectProblem(refused, 403, "cross_site_request")
  })

  test("has no sign-out of ours, which it would not go by", async () => {
    const response = await server.fetch("/api/sign-out", { method: "POST", headers: { "x-host-session": "ann" } })
    await expectProblem(response, 404, "not_found")
  })
})

test("a server is not made where two ways say who people are, or none", async () => {
  const { parley, close } = await startServer()
  const runtime = runtimeOf(parley)
  const sessions = { verify: () => expect.unreachable() } as unknown as HttpOptions["sessions"]
  expect(() => parleyListener({ runtime, sessions, authenticate: () => undefined })).toThrow("not both")
  expect(() => parleyListener({ runtime })).toThrow("No person could sign in")
  await close()
})

describe("bearer tokens", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  const bearer = async (user: string) => `Bearer ${(await cookieFor(user)).slice("parley_session=".length)}`

  test("prove sessions as the cookie does, and count before it", async () => {
    const headers = { authorization: await bearer("ann"), cookie: await cookieFor("bob") }
    expect(await (await server.fetch("/api/me", { headers })).json()).toMatchObject({ userId: "ann" })
  })

  test("count no more once they are signed out", async () => {
    const headers = { authorization: await bearer("ann") }
    expect((await server.fetch("/api/sign-out", { method: "POST", headers })).status).toBe(200)
    await expectProblem(await server.fetch("/api/me", { headers }), 401, "unauthorized")
  })

  test("are no way around the refusal of other sites' writes", async () => {
    const headers = { authorization: await bearer("ann"), "sec-fetch-site": "cross-site" }
    await expectProblem(await server.fetch("/api/rag", { method: "POST", headers }), 403, "cross_site_request")
  })

  test("of a proxy are passed over where they are switched off", async () => {
    const cookieOnly = await startServer({ app: { bearerTokens: false } })
    const cookie = await cookieFor("ann")
    const headers = { authorization: "Bearer of.the.proxy", cookie }
    expect((await cookieOnly.fetch("/api/me", { headers })).status).toBe(200)
    await expectProblem(
      await cookieOnly.fetch("/api/me", { headers: { authorization: await bearer("ann") } }),
      401,
      "unauthorized"
    )
    await cookieOnly.close()
  })
})
