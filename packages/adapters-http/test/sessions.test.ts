import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { SignJWT } from "jose"
import { describe, expect, test, vi } from "vitest"
import { HmacSessionVerifier, makeDevelopmentSessions } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw, rawPost } from "./support/openRaw.ts"
import { cookieFor, SECRET, startServer, type TestServer } from "./support/startServer.ts"

const verify = (options: Partial<Parameters<typeof HmacSessionVerifier.make>[0]>, token: string) =>
  Effect.runPromiseExit(HmacSessionVerifier.make({ secret: SECRET, ...options }).verify(token))

const signed = (claims: Record<string, unknown>, algorithm = "HS256") =>
  new SignJWT(claims).setProtectedHeader({ alg: algorithm }).sign(SECRET)

describe("session tokens", () => {
  test("a valid token tells who, and until when", async () => {
    const exp = Math.floor(Date.now() / 1000) + 60
    const exit = await verify({}, await signed({ sub: "ann", email: "ann@example.com", exp }))
    expect(exit).toEqual(Exit.succeed({ userId: "ann", email: "ann@example.com", expiresAt: exp * 1000 }))
  })

  const LATER = Math.floor(Date.now() / 1000) + 3_600

  test("a subject of 255 characters is accepted, and an e-mail that is none left out", async () => {
    const sub = "é".repeat(255)
    const exit = await verify({}, await signed({ sub, email: 7, exp: LATER }))
    expect(exit).toEqual(Exit.succeed({ userId: sub, email: undefined, expiresAt: LATER * 1000 }))
  })

  test.each([
    ["another issuer", { issuer: "us" }, { sub: "ann", iss: "them" }],
    ["no issuer", { issuer: "us" }, { sub: "ann" }],
    ["another audience", { audience: "us" }, { sub: "ann", aud: "them" }],
    ["no audience", { audience: "us" }, { sub: "ann" }],
    ["no end", {}, { sub: "ann", exp: undefined }],
    ["an end that is null", {}, { sub: "ann", exp: null }],
    ["an end in the past", {}, { sub: "ann", exp: 1_000_000 }],
    ["an end that is no number", {}, { sub: "ann", exp: "later" }],
    ["an end that no date can hold", {}, { sub: "ann", exp: 1e15 }],
    ["a beginning in the future", {}, { sub: "ann", nbf: 4_000_000_000 }],
    ["no subject", {}, {}],
    ["a subject that is a number", {}, { sub: 7 }],
    ["half of a surrogate pair as subject", {}, { sub: "\ud83d" }]
  ])("refused: %s", async (_, options, claims) => {
    const exit = await verify(options, await signed({ exp: LATER, ...claims }))
    expect(String(exit)).toContain("SessionInvalid")
  })

  test("issuer and audience that match are accepted", async () => {
    const token = await signed({ sub: "ann", iss: "us", aud: ["us", "them"], exp: LATER })
    expect(Exit.isSuccess(await verify({ issuer: "us", audience: "us" }, token))).toBe(true)
  })

  test("another algorithm of the same key is refused", async () => {
    const key = new TextEncoder().encode("x".repeat(64))
    const token = await new SignJWT({ sub: "ann" }).setProtectedHeader({ alg: "HS512" }).sign(key)
    expect(String(await verify({ secret: key }, token))).toContain("SessionInvalid")
  })

  test.each(["", ".", "..", "a.b.c", "a".repeat(10_000), "eyJhbGciOiJIUzI1NiJ9..", "\0"])(
    "garbage is refused: %j",
    async (token) => {
      expect(String(await verify({}, token))).toContain("SessionInvalid")
    }
  )

  describe("a token that was found good", () => {
    const EXP = 2_000_000
    const claims = { sub: "ann", nbf: EXP - 1_000, exp: EXP }
    const verifier = () => {
      const { verify } = HmacSessionVerifier.make({ secret: SECRET })
      return (token: string, seconds: number) =>
        Effect.runPromiseExit(
          Effect.gen(function* () {
            yield* TestClock.setTime(seconds * 1000)
            return yield* verify(token)
          }).pipe(Effect.provide(TestClock.layer()))
        )
    }

    test("is not asked for its signature again", async () => {
      const token = await signed(claims)
      const verifyAt = verifier()
      const verifySignature = vi.spyOn(crypto.subtle, "verify")
      try {
        const first = await verifyAt(token, EXP - 10)
        expect(first).toEqual(Exit.succeed({ userId: "ann", email: undefined, expiresAt: EXP * 1000 }))
        expect(await verifyAt(token, EXP - 1)).toEqual(first)
        expect(verifySignature).toHaveBeenCalledTimes(1)
      } finally {
        verifySignature.mockRestore()
      }
    })

    test("is refused a minute after its end, and a minute before its beginning if the clock is set back", async () => {
      const token = await signed(claims)
      const verifyAt = verifier()
      expect(Exit.isSuccess(await verifyAt(token, EXP - 1))).toBe(true)
      expect(String(await verifyAt(token, EXP - 1_061))).toContain("SessionInvalid")
      expect(Exit.isSuccess(await verifyAt(token, EXP - 1_060))).toBe(true)
      expect(Exit.isSuccess(await verifyAt(token, EXP + 59))).toBe(true)
      expect(String(await verifyAt(token, EXP + 60))).toContain("SessionInvalid")
    })

    test("makes no other good: one with its claims and another signature is refused", async () => {
      const token = await signed(claims)
      const [head, body] = token.split(".")
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode("x".repeat(64)))
      const verifyAt = verifier()
      expect(Exit.isSuccess(await verifyAt(token, EXP - 1))).toBe(true)
      for (const other of [forged, `${head}.${body}.`, `${head}.${body}.${"A".repeat(43)}`]) {
        expect(String(await verifyAt(other, EXP - 1))).toContain("SessionInvalid")
      }
    })
  })

  test("an empty secret is refused when the server is put together", () => {
    expect(() => HmacSessionVerifier.make({ secret: "" })).toThrow("empty")
  })
})

describe("cookies", () => {
  test("over http the cookie is HttpOnly and Lax, not Secure", async () => {
    const server = await startServer()
    const response = await server.post("/dev/sign-in", { email: "ann@example.com" })
    const [cookie = ""] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^parley_session=/)
    expect(cookie).toMatch(/; HttpOnly/)
    expect(cookie).toMatch(/; SameSite=Lax/)
    expect(cookie).toMatch(/; Path=\//)
    expect(cookie).not.toMatch(/Secure|Domain/)
    await server.close()
  })

  test("over https it is Secure and __Host-, and no other counts", async () => {
    const server = await startServer({ app: { baseUrl: "https://parley.example" } })
    const response = await server.post("/dev/sign-in", { email: "ann@example.com" })
    const [cookie = ""] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-parley_session=/)
    expect(cookie).toMatch(/; Secure/)
    const plain = await cookieFor("ann")
    const status = async (header: string) =>
      (await fetch(`${server.url}/api/chat`, { headers: { cookie: header } })).status
    expect(await status(plain)).toBe(401)
    expect(await status(`__Host-${plain}`)).toBe(200)
    expect(await status(`${plain}; __Host-${plain}`)).toBe(200)
    expect(await status(`__Host-parley_session=expired; ${plain}`)).toBe(401)
    expect(await status(`__Secure-${plain}`)).toBe(401)
    const document = (await (await server.fetch("/openapi.json")).json()) as {
      components: { securitySchemes: { session: unknown } }
    }
    expect(document.components.securitySchemes.session).toMatchObject({ in: "cookie", name: "__Host-parley_session" })
    await server.close()
  })

  test("one whose token ends beyond all time is refused like any other that cannot be judged", async () => {
    const server = await startServer()
    const cookie = `parley_session=${await signed({ sub: "ann", exp: 1e15 })}`
    await expectProblem(await server.fetch("/api/me", { headers: { cookie } }), 401, "unauthorized")
    await server.close()
  })

  test("the cookie's name is the operator's", async () => {
    const server = await startServer({ app: { sessionCookie: "sid" } })
    const cookie = await cookieFor("ann")
    expect((await server.fetch("/api/chat", { headers: { cookie } })).status).toBe(401)
    const renamed = cookie.replace("parley_session", "sid")
    expect((await server.fetch("/api/chat", { headers: { cookie: renamed } })).status).toBe(200)
    await server.close()
  })
})

describe("development sign-in", () => {
  const sessions = makeDevelopmentSessions()

  test("the same address is the same user, with an account from then on", async () => {
    const server = await startServer({ app: { developmentSessions: sessions, sessions: sessions.verifier } })
    const signIn = async (email: string) => {
      const response = await server.post("/dev/sign-in", { email })
      expect(response.status).toBe(200)
      const body = (await response.json()) as { userId: string }
      return { userId: body.userId, cookie: (response.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "" }
    }
    const first = await signIn("Ann@Example.com")
    const second = await signIn("ann@example.com")
    expect(second.userId).toBe(first.userId)
    expect(
      (await server.parley.credits.history({ userId: first.userId, limit: 1, offset: 0, type: undefined })).total
    ).toBe(1)
    const balance = await server.fetch("/api/billing/balance", { headers: { cookie: second.cookie } })
    expect(balance.status).toBe(200)
    expect((await server.fetch("/api/chat", { headers: { cookie: await cookieFor("ann") } })).status).toBe(401)
    await server.close()
  })

  test("signing out clears the cookie", async () => {
    const server = await startServer()
    const response = await server.fetch("/dev/sign-out", { method: "POST" })
    expect(response.status).toBe(204)
    expect(response.headers.getSetCookie()[0]).toMatch(/^parley_session=; Max-Age=0;/)
    await server.close()
  })

  test.each(["", "ann", "ann@", "@example.com", "a b@example.com", "a@b@c", "a\0@b", `${"x".repeat(130)}@b`, 7, null])(
    "%j is not an address",
    async (email) => {
      const server = await startServer()
      await expectProblem(await server.post("/dev/sign-in", { email }), 400, "invalid_request")
      await server.close()
    }
  )

  test("its cookie counts in the process that gave it alone, not on another port, nor after a restart", async () => {
    const start = () => {
      const developmentSessions = makeDevelopmentSessions()
      return startServer({ app: { developmentSessions, sessions: developmentSessions.verifier } })
    }
    const [first, second] = await Promise.all([start(), start()])
    const signedIn = await first.post("/dev/sign-in", { email: "ann@example.com" })
    const cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? ""
    const status = async (server: TestServer) => (await server.fetch("/api/chat", { headers: { cookie } })).status
    expect([await status(first), await status(second)]).toEqual([200, 401])
    await Promise.all([first.close(), second.close()])
  })

  test.each([
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-anything",
    "x-original-forwarded-for",
    "x-original-host",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "cf-ray",
    "cdn-loop",
    "fastly-client-ip",
    "fly-client-ip",
    "x-envoy-external-address",
    "x-amzn-trace-id",
    "x-azure-clientip",
    "tailscale-user-login",
    "ngrok-skip-browser-warning"
  ])("what came through a proxy, as %s tells, does not find it, empty or not", async (header) => {
    const server = await startServer()
    const signIn = (headers: Record<string, string>) =>
      server.fetch("/dev/sign-in", {
        method: "POST",
        body: JSON.stringify({ email: "ann@example.com" }),
        headers: { "content-type": "application/json", ...headers }
      })
    for (const value of ["127.0.0.1", ""]) {
      await expectProblem(await signIn({ [header]: value }), 404, "not_found")
    }
    expect((await signIn({})).status).toBe(200)
    await server.close()
  })

  test.each(["cross-site", "same-site", "", "SAME-ORIGIN", "none, same-origin"])(
    "a page of another site or port, as Sec-Fetch-Site %j tells, does not sign anybody in",
    async (site) => {
      const server = await startServer()
      const raw = await openRaw(server.port)
      const headers = {
        host: "localhost",
        "content-type": "application/json",
        connection: "close",
        "sec-fetch-site": site
      }
      raw.socket.write(rawPost("/dev/sign-in", headers, '{"email":"ann@example.com"}'))
      await raw.closed
      expect(raw.received()).toMatch(/^HTTP\/1\.1 403 /)
      expect(raw.received()).not.toMatch(/^set-cookie/im)
      await server.close()
    }
  )

  test.each<[string, string, Record<string, string>]>([
    ["speaks HTTP/1.0, as no browser does", "HTTP/1.0", {}],
    ["passes on the page's Origin", "HTTP/1.1", { origin: "https://chat.example", "sec-fetch-site": "same-origin" }],
    ["passes on an Origin without a name", "HTTP/1.1", { origin: "null", "sec-fetch-site": "same-origin" }]
  ])(
    "a proxy that puts its own Host and tells nothing of itself does not find it where it %s",
    async (_, version, more) => {
      const server = await startServer()
      const status = async (protocol: string, added: Record<string, string>) => {
        const raw = await openRaw(server.port)
        const headers = { host: `127.0.0.1:${server.port}`, "content-type": "application/json", connection: "close" }
        const sent = rawPost("/dev/sign-in", { ...headers, ...added }, '{"email":"ann@example.com"}')
        raw.socket.write(sent.replace(" HTTP/1.1", ` ${protocol}`))
        await raw.closed
        return Number(/^HTTP\/1\.1 (\d+) /.exec(raw.received())?.[1])
      }
      expect(await status(version, more)).toBe(404)
      const own = { origin: `http://127.0.0.1:${server.port}`, "sec-fetch-site": "same-origin" }
      expect(await status("HTTP/1.1", own)).toBe(200)
      await server.close()
    }
  )

  test("a Host that is not local does not find it", async () => {
    const server = await startServer()
    const status = async (host: string) => {
      const raw = await openRaw(server.port)
      const headers = { host, "content-type": "application/json", connection: "close" }
      raw.socket.write(rawPost("/dev/sign-in", headers, '{"email":"ann@example.com"}'))
      await raw.closed
      return Number(raw.received().slice(9, 12))
    }
    for (const host of ["localhost", "localhost:3000", "127.0.0.1:80", "127.1.2.3", "[::1]:3000", "app.localhost"]) {
      expect({ host, status: await status(host) }).toEqual({ host, status: 200 })
    }
    for (const host of ["evil.example", "localhost.evil.example", "10.0.0.1", "[::2]"]) {
      expect({ host, status: await status(host) }).toEqual({ host, status: 404 })
    }
    for (const host of ["evil@localhost", "localhost/x"]) {
      expect({ host, status: await status(host) }).toEqual({ host, status: 400 })
    }
    await server.close()
  })
})
