import type { CrmFailed } from "@parley/core/adapter"
import { Cause, Effect, Exit, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { isCrmEndpoint, makeOAuthCrmProvider, type OAuthCrmOptions } from "../src/index.ts"
import { json, scriptedServer, type Script } from "../../../test/support/ScriptedServer.ts"

const VENDOR = "VENDOR TEXT"
const TOKEN = "tok_Qm4Zr9Xw2Lk7"
const REDIRECT_URI = "http://localhost:3000/api/crm/provider_two/callback"
const sent = { redirectUri: REDIRECT_URI, state: "the-state" }
const tokens = {
  access_token: TOKEN,
  token_type: "Bearer",
  refresh_token: `${TOKEN}_r`,
  expires_in: 1800,
  scope: "a b"
}

const providerAt = (url: string, more: Partial<OAuthCrmOptions> = {}) =>
  makeOAuthCrmProvider({
    id: "provider_two",
    name: "Example",
    authorizeUrl: `${url}/authorize?access_type=offline`,
    tokenUrl: `${url}/token`,
    revokeUrl: `${url}/revoke`,
    tokenAuth: "client_secret_basic",
    scopes: ["contacts.read", "deals"],
    clientId: "id:1",
    clientSecret: Redacted.make("s/cret"),
    limits: { callMs: 110_000 },
    ...more
  })

const staged = async (script: Script, more: Partial<OAuthCrmOptions> = {}) => {
  const vendor = await scriptedServer(script)
  return { ...vendor, provider: providerAt(vendor.url, more) }
}

const callback = (more: Record<string, string> = {}) => new URLSearchParams({ code: "c-1", state: sent.state, ...more })
const refreshed = (provider: ReturnType<typeof providerAt>) => provider.refresh(Redacted.make(`${TOKEN}_old`))

const failureOf = async (effect: Effect.Effect<unknown, CrmFailed>): Promise<CrmFailed> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) throw new Error("it succeeded")
  return Cause.squash(exit.cause) as CrmFailed
}

/** All that a log, or an answer, could make of an error. */
const everythingOf = (error: CrmFailed): string =>
  [error.message, JSON.stringify(error), String(error.cause), String(error.stack), JSON.stringify(error.cause)].join()

describe("a request", () => {
  it("for the browser has exactly the parameters of the protocol, and keeps the query of the address", async () => {
    const url = await Effect.runPromise(providerAt("https://crm.example").authorizationUrl(sent))
    expect(`${url.origin}${url.pathname}`).toBe("https://crm.example/authorize")
    expect(Object.fromEntries(url.searchParams)).toEqual({
      access_type: "offline",
      response_type: "code",
      client_id: "id:1",
      redirect_uri: REDIRECT_URI,
      state: "the-state",
      scope: "contacts.read deals"
    })
  })

  it("carries the secret in the header, in the form or not at all, as it is set up", async () => {
    const basic = { authorization: `Basic ${btoa("id%3A1:s%2Fcret")}` }
    for (const [tokenAuth, header, inForm] of [
      ["client_secret_basic", basic, { client_id: null, client_secret: null }],
      ["client_secret_post", {}, { client_id: "id:1", client_secret: "s/cret" }],
      ["none", {}, { client_id: "id:1", client_secret: null }]
    ] as const) {
      await using vendor = await staged((_request, response) => json(response, 200, tokens), { tokenAuth })
      await Effect.runPromise(vendor.provider.exchange({ ...sent, callback: callback() }))
      const [asked] = vendor.seen
      expect(asked?.method).toBe("POST")
      expect(asked?.headers).toMatchObject({ accept: "application/json", connection: "close", ...header })
      expect(asked?.form.get("client_id")).toBe(inForm.client_id)
      expect(asked?.form.get("client_secret")).toBe(inForm.client_secret)
      expect(asked?.form.get("grant_type")).toBe("authorization_code")
      expect(asked?.form.get("code")).toBe("c-1")
      expect(asked?.form.get("redirect_uri")).toBe(REDIRECT_URI)
    }
  })

  it("goes nowhere but to https and to this machine", () => {
    for (const address of [
      "https://crm.example/token",
      "http://localhost:8080/t",
      "http://127.0.0.1/t",
      "http://[::1]:1/t"
    ]) {
      expect(isCrmEndpoint(address), address).toBe(true)
    }
    for (const address of [
      "http://crm.example/token",
      "http://127.0.0.1.crm.example/",
      "http://localhost.example/",
      "http://10.0.0.1/",
      "https://user:secret@crm.example/",
      "https://crm.example/#token",
      "https://crm.example/#",
      "ftp://localhost/",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "crm.example"
    ]) {
      expect(isCrmEndpoint(address), address).toBe(false)
      expect(() => providerAt("https://crm.example", { tokenUrl: address }), address).toThrow(TypeError)
    }
  })
})

describe("a callback", () => {
  it("with another state, another issuer, an error or no code sends no request", async () => {
    await using vendor = await staged((_request, response) => json(response, 200, tokens))
    const issuing = providerAt(vendor.url, { issuer: "https://crm.example" })
    const iss = "https://crm.example"
    for (const [provider, parameters] of [
      [vendor.provider, callback({ state: "another" })],
      [vendor.provider, callback({ iss })],
      [vendor.provider, callback({ error: "access_denied", error_description: VENDOR })],
      [vendor.provider, new URLSearchParams({ state: sent.state })],
      [vendor.provider, new URLSearchParams([...callback(), ["state", sent.state]])],
      [issuing, callback()],
      [issuing, callback({ iss: "https://evil.example" })]
    ] as const) {
      const failure = await failureOf(provider.exchange({ ...sent, callback: parameters }))
      expect(failure).toMatchObject({ operation: "exchange" })
      expect(everythingOf(failure)).not.toContain(VENDOR)
    }
    expect(vendor.seen).toEqual([])
    await Effect.runPromise(issuing.exchange({ ...sent, callback: callback({ iss }) }))
    expect(vendor.seen).toHaveLength(1)
  })
})

describe("an answer", () => {
  it("is read into tokens; what the provider leaves out or writes as null is left out", async () => {
    await using vendor = await staged(({ form }, response) =>
      json(response, 200, form.has("code") ? tokens : { ...tokens, refresh_token: null, scope: null, id_token: null })
    )
    const first = await Effect.runPromise(vendor.provider.exchange({ ...sent, callback: callback() }))
    expect(first).toMatchObject({ tokenType: "bearer", expiresInSeconds: 1800, scope: "a b" })
    expect(Redacted.value(first.accessToken)).toBe(TOKEN)
    expect(Redacted.value(first.refreshToken ?? Redacted.make(""))).toBe(`${TOKEN}_r`)
    expect(JSON.stringify(first)).not.toContain(TOKEN)
    const next = await Effect.runPromise(refreshed(vendor.provider))
    expect(Object.keys(next).toSorted()).toEqual(["accessToken", "expiresInSeconds", "tokenType"])
  })

  it("of any other kind is named for what it is, with nothing of what it says, and never asked for again", async () => {
    const body = JSON.stringify({ error: "whatever", error_description: `${VENDOR}${TOKEN}`, access_token: TOKEN })
    const huge = JSON.stringify({ ...tokens, access_token: TOKEN + "x".repeat(300_000) })
    const cases: ReadonlyArray<readonly [number, string, Record<string, string>, object]> = [
      [200, "<h1>VENDOR TEXT</h1>", { "content-type": "text/html" }, { _tag: "CrmAnswerLost" }],
      [200, "", {}, { _tag: "CrmAnswerLost" }],
      [200, "[]", {}, { _tag: "CrmAnswerLost" }],
      [200, '{"access_token":7,"token_type":"bearer"}', {}, { _tag: "CrmAnswerLost" }],
      [200, `{"access_token":"${TOKEN}","token_type":"mac"}`, {}, { _tag: "CrmAnswerLost" }],
      [200, `{"access_token":"${TOKEN}"}`, {}, { _tag: "CrmAnswerLost" }],
      [200, `{"access_token":"${TOKEN}","token_type":"bearer","expires_in":"soon"}`, {}, { _tag: "CrmAnswerLost" }],
      [200, huge, {}, { _tag: "CrmAnswerLost" }],
      [200, '{"error":"invalid_grant"}', {}, { _tag: "CrmRefused", reason: "grant" }],
      [204, "", {}, { _tag: "CrmAnswerLost" }],
      [302, "", { location: "/elsewhere" }, { _tag: "CrmRefused", reason: "other" }],
      [307, "", { location: "/elsewhere" }, { _tag: "CrmRefused", reason: "other" }],
      [400, '{"error":"invalid_grant"}', {}, { _tag: "CrmRefused", reason: "grant" }],
      [400, body, {}, { _tag: "CrmRefused", reason: "other" }],
      [400, '{"error":"__proto__"}', {}, { _tag: "CrmRefused", reason: "other" }],
      [401, '{"error":"invalid_client"}', {}, { _tag: "CrmRefused", reason: "client" }],
      [401, VENDOR, { "www-authenticate": `Basic realm="${VENDOR}"` }, { _tag: "CrmRefused", reason: "client" }],
      [403, '{"error":"unauthorized_client"}', {}, { _tag: "CrmRefused", reason: "client" }],
      [404, VENDOR, {}, { _tag: "CrmRefused", reason: "other" }],
      [429, VENDOR, { "retry-after": "7" }, { _tag: "CrmUnavailable", retryAfterMs: 7_000 }],
      [503, VENDOR, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, { _tag: "CrmUnavailable" }],
      [500, body, {}, { _tag: "CrmAnswerLost" }],
      [502, VENDOR, {}, { _tag: "CrmAnswerLost" }]
    ]
    let answered: (typeof cases)[number] = [200, "", {}, {}]
    await using vendor = await staged((_request, response) => {
      const [status, text, headers] = answered
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text)
    })
    for (const one of cases) {
      answered = one
      const before = vendor.seen.length
      for (const [operation, call] of [
        ["refresh", refreshed(vendor.provider)],
        ["exchange", vendor.provider.exchange({ ...sent, callback: callback() })]
      ] as const) {
        const failure = await failureOf(call)
        expect(failure, `${operation}: ${one[0]} ${one[1].slice(0, 40)}`).toMatchObject({ operation, ...one[3] })
        expect(everythingOf(failure)).not.toMatch(new RegExp(`${VENDOR}|${TOKEN}`))
      }
      expect(vendor.seen.length - before, "one request a call").toBe(2)
    }
  })

  it("that breaks off is lost; without a connection nothing has happened", async () => {
    const breaks: Record<string, Script> = {
      silently: (_request, response) => response.destroy(),
      inTheMiddle: (_request, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
        response.write('{"access_token":"tok', () => response.destroy())
      }
    }
    for (const [how, script] of Object.entries(breaks)) {
      await using vendor = await staged(script)
      expect(await failureOf(refreshed(vendor.provider)), how).toMatchObject({ _tag: "CrmAnswerLost" })
      expect(vendor.seen, how).toHaveLength(1)
    }
    const vendor = await scriptedServer(() => undefined)
    await vendor.close()
    expect(await failureOf(refreshed(providerAt(vendor.url)))).toMatchObject({
      _tag: "CrmUnavailable",
      operation: "refresh"
    })
    const encrypted = providerAt(vendor.url.replace("http:", "https:"))
    expect(await failureOf(refreshed(encrypted))).toMatchObject({ _tag: "CrmUnavailable" })
  })

  it("of a server without TLS where TLS is meant gets nothing of the request", async () => {
    await using vendor = await scriptedServer((_request, response) => json(response, 200, tokens))
    const provider = providerAt(vendor.url.replace("http:", "https:"))
    expect(await failureOf(refreshed(provider))).toMatchObject({ _tag: "CrmUnavailable" })
    expect(vendor.seen).toEqual([])
  })

  it("that does not come is awaited up to the limit, even uninterruptibly; the request is aborted", async () => {
    let isEnded = false
    await using vendor = await staged(
      (_request, response) => {
        response.once("close", () => {
          isEnded = true
        })
      },
      { limits: { callMs: 7_000 } }
    )
    const failure = await Effect.runPromise(
      Effect.gen(function* () {
        const refreshing = yield* Effect.forkChild(Effect.flip(Effect.uninterruptible(refreshed(vendor.provider))))
        yield* Effect.promise(async () => {
          await expect.poll(() => vendor.seen.length).toBe(1)
        })
        yield* TestClock.adjust("6999 millis")
        expect(refreshing.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("1 millis")
        return yield* Fiber.join(refreshing)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    expect(failure).toMatchObject({ _tag: "CrmAnswerLost" })
    await expect.poll(() => isEnded).toBe(true)
    expect(vendor.seen).toHaveLength(1)
  })
})

describe("revoking", () => {
  it("names the refresh token where there is one, else the access token, and says where nothing can be revoked", async () => {
    await using vendor = await staged((_request, response) => response.writeHead(200).end())
    const accessToken = Redacted.make("a")
    const refreshToken = Redacted.make("r")
    expect(await Effect.runPromise(vendor.provider.revoke({ accessToken, refreshToken }))).toBe("revoked")
    expect(await Effect.runPromise(vendor.provider.revoke({ accessToken }))).toBe("revoked")
    expect(vendor.seen.map(({ form, path }) => [path, form.get("token"), form.get("token_type_hint")])).toEqual([
      ["/revoke", "r", "refresh_token"],
      ["/revoke", "a", "access_token"]
    ])
    const without = providerAt(vendor.url, { revokeUrl: undefined })
    expect(await Effect.runPromise(without.revoke({ accessToken, refreshToken }))).toBe("unsupported")
    expect(vendor.seen).toHaveLength(2)
  })

  it("that the provider refuses or does not answer fails", async () => {
    await using vendor = await staged((request, response) =>
      json(response, request.form.get("token") === "r" ? 400 : 503, { error: "unsupported_token_type" })
    )
    const accessToken = Redacted.make("a")
    expect(await failureOf(vendor.provider.revoke({ accessToken, refreshToken: Redacted.make("r") }))).toMatchObject({
      _tag: "CrmRefused",
      operation: "revoke"
    })
    expect(await failureOf(vendor.provider.revoke({ accessToken }))).toMatchObject({ _tag: "CrmUnavailable" })
  })
})
