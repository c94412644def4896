import { makeWebCryptoSecretBox, noSecrets, parseSecretKeys } from "@parley/core/effect"
import type { ParleyOptions } from "@parley/core"
import { scriptedCrm, type ScriptedCrm } from "@parley/core/testing"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer, type TestServerOptions } from "./support/startServer.ts"

const ANN = "ann"
const BOB = "bob"
const keys = Result.getOrThrow(parseSecretKeys(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")))

interface Stage {
  readonly server: TestServer
  readonly one: ScriptedCrm
  readonly two: ScriptedCrm
}

const stageOf = async (app: TestServerOptions["app"] = {}, parley: Partial<ParleyOptions> = {}): Promise<Stage> => {
  const one = scriptedCrm()
  const two = scriptedCrm({ id: "provider_two" })
  const secrets = await Effect.runPromise(makeWebCryptoSecretBox(keys))
  const all = { work: false, crm: [one.provider, two.provider], secrets, ...parley }
  return { server: await startServer({ app, parley: all }), one, two }
}

/** A browser: its cookies, sent as a browser sends them, and changed as the answers say. */
class Browser {
  readonly jar = new Map<string, string>()
  readonly #server: TestServer
  readonly #prefix: string
  user: string

  constructor(server: TestServer, user: string, prefix = "") {
    this.#server = server
    this.#prefix = prefix
    this.user = user
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const cookies = [await cookieFor(this.user), ...[...this.jar].map(([name, value]) => `${name}=${value}`)]
    const response = await this.#server.fetch(`${this.#prefix}${path}`, {
      redirect: "manual",
      headers: { cookie: cookies.join("; "), ...headers }
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/Max-Age=0(;|$)/.test(set)) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    return response
  }

  /** Begins a connection; returns the provider's page. */
  async begin(botId: string, provider = "provider_one"): Promise<URL> {
    const response = await this.get(`/api/crm/${provider}/connect?botId=${botId}`)
    expect(response.status).toBe(303)
    return new URL(response.headers.get("location") ?? "")
  }

  /** Returns from the provider; returns the redirect. */
  async back(query: URLSearchParams, provider = "provider_one"): Promise<string> {
    const response = await this.get(`/api/crm/${provider}/callback?${query}`)
    expect([response.status, await response.text()]).toEqual([303, ""])
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
    return response.headers.get("location") ?? ""
  }
}

let stage: Stage
let botId: string
const connectionsOf = async (server: TestServer) => {
  const listed = await server.fetch(`/api/bots/${botId}/crm`, { user: ANN })
  return ((await listed.json()) as { providers: ReadonlyArray<{ provider: string; connection: unknown }> }).providers
}
beforeAll(async () => {
  stage = await stageOf()
  botId = (await stage.server.parley.bots.create(ANN, { displayName: "Help" })).id
})
afterAll(() => stage.server.close())

describe("GET /api/crm/{provider}/connect", () => {
  test("leads to the provider's page and keeps the state in a cookie of its own, httpOnly, for ten minutes", async () => {
    const { server } = stage
    const browser = new Browser(server, ANN)
    const response = await browser.get(`/api/crm/provider_one/connect?botId=${botId}`)
    expect(response.status).toBe(303)
    const url = new URL(response.headers.get("location") ?? "")
    expect(url.origin + url.pathname).toBe("https://crm.example/authorize")
    expect(url.searchParams.get("redirect_uri")).toBe(`${server.url}/api/crm/provider_one/callback`)
    expect(url.searchParams.get("code_challenge_method")).toBe("S256")
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
    const [cookie = "", ...more] = response.headers.getSetCookie()
    expect(more).toEqual([])
    expect(cookie).toMatch(
      /^parley_crm_[0-9a-f]{24}=v1\.[\w-]+\.[\w-]+; Max-Age=600; Path=\/api\/crm; HttpOnly; SameSite=Lax$/
    )
    const state = url.searchParams.get("state") ?? ""
    expect(state).toMatch(/^[\w-]{43}$/)
    for (const secret of [state, botId, ANN]) expect(cookie).not.toContain(secret)
    expect(cookie.length).toBeLessThan(700)
    const two = await browser.begin(botId, "provider_two")
    expect(two.searchParams.has("code_challenge")).toBe(false)
  })

  test("over https sets Secure and __Host- for the root, and sends the browser back to the base URL", async () => {
    const { server } = await stageOf({ baseUrl: "https://parley.example/sub" })
    const { id } = await server.parley.bots.create(ANN, { displayName: "Help" })
    const cookie = `__Host-${await cookieFor(ANN)}`
    const response = await server.fetch(`/api/crm/provider_one/connect?botId=${id}`, {
      redirect: "manual",
      headers: { cookie, host: "evil.example" }
    })
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-parley_crm_[0-9a-f]{24}=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      )
    ])
    const url = new URL(response.headers.get("location") ?? "")
    expect(url.searchParams.get("redirect_uri")).toBe("https://parley.example/sub/api/crm/provider_one/callback")
    await server.close()
  })

  test("keeps six transactions at most in a browser: the oldest makes room", async () => {
    const browser = new Browser(stage.server, ANN)
    const first = await browser.begin(botId)
    for (let more = 0; more < 7; more++) await browser.begin(botId)
    expect(browser.jar.size).toBe(6)
    const last = await browser.begin(botId)
    expect(await browser.back(stage.one.approve(last))).toBe(`/dashboard/bots/${botId}?crm_connected=provider_one`)
    await expectProblem(
      await browser.get(`/api/crm/provider_one/callback?${stage.one.approve(first)}`),
      400,
      "crm_state_unknown"
    )
  })

  test("without a session is 401, sets no state and leads nowhere", async () => {
    const { server } = stage
    for (const path of ["connect?botId=x", "callback?state=x", "connect"]) {
      const response = await server.fetch(`/api/crm/provider_one/${path}`, { redirect: "manual" })
      expect(response.headers.getSetCookie()).toEqual([])
      expect(response.headers.get("location")).toBeNull()
      await expectProblem(response, 401, "unauthorized")
    }
  })

  test.each([
    "provider_three",
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "PROVIDER_ONE",
    "%2e%2e",
    "%00x"
  ])("of a provider that is none is not found: %s", async (provider) => {
    const browser = new Browser(stage.server, ANN)
    const response = await browser.get(`/api/crm/${provider}/connect?botId=${botId}`)
    expect([400, 404]).toContain(response.status)
    if (!provider.startsWith("%")) await expectProblem(response, 404, "crm_provider_not_found")
    expect(browser.jar.size).toBe(0)
  })

  test("without a bot's id is 400; a foreign bot's answer is that of none, byte for byte", async () => {
    const browser = new Browser(stage.server, BOB)
    for (const query of ["", "?botId=", "?botId=nonsense", `?botId=${botId}&botId=${botId}`]) {
      await expectProblem(await browser.get(`/api/crm/provider_one/connect${query}`), 400, "invalid_request")
    }
    const about = async (id: string) => {
      const response = await browser.get(`/api/crm/provider_one/connect?botId=${id}`, { "x-request-id": "same" })
      const headers = [...response.headers].filter(([name]) => name !== "date")
      return { status: response.status, headers, body: await response.text() }
    }
    const foreign = await about(botId)
    expect(foreign.status).toBe(404)
    expect(foreign).toEqual(await about(crypto.randomUUID()))
    expect(browser.jar.size).toBe(0)
  })

  test("is 503 where the provider, the key or the server's address is not set up", async () => {
    for (const [missing, parley, headers] of [
      ["provider", { crm: [] }, {}],
      ["encryption-key", { secrets: noSecrets }, {}],
      ["public-address", {}, { host: "parley.example" }]
    ] as const) {
      const { server } = await stageOf({}, parley)
      const { id } = await server.parley.bots.create(ANN, { displayName: "Help" })
      const browser = new Browser(server, ANN)
      const problem =
        missing === "public-address"
          ? await rawGet(server, `/api/crm/provider_one/connect?botId=${id}`, headers)
          : undefined
      if (problem === undefined) {
        const response = await browser.get(`/api/crm/provider_one/connect?botId=${id}`)
        await expectProblem(response, 503, "crm_not_configured")
      } else {
        expect(problem).toMatch(/^HTTP\/1.1 503 [\s\S]*"missing":"public-address"/)
        expect(problem).not.toMatch(/set-cookie|location:/i)
      }
      expect(browser.jar.size).toBe(0)
      await server.close()
    }
  })
})

/** A request with a Host that fetch would not send; returns the whole response. */
const rawGet = async (server: TestServer, path: string, headers: Readonly<Record<string, string>>) => {
  const raw = await openRaw(server.port)
  const lines = Object.entries({ ...headers, cookie: await cookieFor(ANN), connection: "close" })
  raw.socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`)
  await raw.closed
  return raw.received()
}

describe("GET /api/crm/{provider}/callback", () => {
  test("leads to the bot's page, which lists the connection; two tabs end in either order", async () => {
    const { one, server } = stage
    const browser = new Browser(server, ANN)
    const [first, second] = [await browser.begin(botId), await browser.begin(botId)]
    expect(await browser.back(one.approve(second))).toBe(`/dashboard/bots/${botId}?crm_connected=provider_one`)
    expect(browser.jar.size).toBe(1)
    expect(await browser.back(one.approve(first))).toBe(`/dashboard/bots/${botId}?crm_connected=provider_one`)
    expect(browser.jar.size).toBe(0)
    expect(await connectionsOf(server)).toMatchObject([
      {
        provider: "provider_one",
        name: "Provider One",
        available: true,
        connection: {
          state: "connected",
          problem: null,
          account: { id: "account-1", name: "Example Ltd" },
          connectedBy: ANN
        }
      },
      { provider: "provider_two", connection: null }
    ])
  })

  test("takes the bot from the sealed state only, with any other parameters", async () => {
    const { one, server } = stage
    const other = await server.parley.bots.create(ANN, { displayName: "Other" })
    const browser = new Browser(server, ANN)
    const query = one.approve(await browser.begin(botId))
    for (const name of ["botId", "bot_id", "redirect", "next", "returnTo"]) query.set(name, other.id)
    query.set("redirect_uri", "//evil.example")
    expect(await browser.back(query)).toBe(`/dashboard/bots/${botId}?crm_connected=provider_one`)
    expect((await server.parley.crm.list(ANN, other.id)).every(({ connection }) => connection === undefined)).toBe(true)
  })

  test("that does not match says state, asks no provider and leaves what is open open", async () => {
    const { one, server, two } = stage
    const browser = new Browser(server, ANN)
    const query = one.approve(await browser.begin(botId))
    const calls = () => one.calls.length + two.calls.length
    const before = calls()
    const refused = `/dashboard/bots/${botId}?crm_error=state`
    browser.user = BOB
    expect(await browser.back(query)).toBe(refused)
    browser.user = ANN
    expect(await browser.back(query, "provider_two")).toBe(refused)
    const forged = new URLSearchParams(query)
    forged.set("iss", "https://evil.example")
    expect(await browser.back(forged)).toBe(refused)
    expect(calls()).toBe(before)
    expect(await browser.back(query)).toBe(`/dashboard/bots/${botId}?crm_connected=provider_one`)
    expect(calls()).toBe(before + 1)
  })

  test("counts once: replayed with the cookie it had it says state", async () => {
    const { one, server } = stage
    const browser = new Browser(server, ANN)
    const query = one.approve(await browser.begin(botId))
    const kept = new Map(browser.jar)
    const before = one.calls.length
    const copies = Array.from({ length: 6 }, () => {
      const copy = new Browser(server, ANN)
      for (const [name, value] of kept) copy.jar.set(name, value)
      return copy
    })
    const led = await Promise.all(copies.map((copy) => copy.back(query)))
    expect(led.filter((to) => to.endsWith("crm_connected=provider_one"))).toHaveLength(1)
    expect(led.filter((to) => to.endsWith("crm_error=state"))).toHaveLength(5)
    expect(copies.every(({ jar }) => jar.size === 0)).toBe(true)
    expect(one.calls.length).toBe(before + 1)
  })

  test("says of the provider's refusal a word of our own, and neither answers nor logs what it wrote", async () => {
    const { one, server } = stage
    const hostile = `<script>alert("canary-4711")</script>\r\nset-cookie: a=canary-4711`
    const before = one.calls.length
    for (const [error, told] of [
      ["access_denied", "denied"],
      [hostile, "exchange"],
      ["invalid_scope", "exchange"]
    ] as const) {
      const browser = new Browser(server, ANN)
      const query = one.approve(await browser.begin(botId))
      query.set("error", error)
      query.set("error_description", hostile)
      query.set("error_uri", "https://evil.example/canary-4711")
      expect(await browser.back(query)).toBe(`/dashboard/bots/${botId}?crm_error=${told}`)
      expect(browser.jar.size).toBe(0)
    }
    expect(one.calls.length).toBe(before)
    expect(server.log.join("\n")).not.toContain("canary-4711")
  })

  test("says exchange where the provider gives nothing, and keeps what was connected before", async () => {
    const { one, server } = stage
    const before = await connectionsOf(server)
    for (const fault of ["unavailable", "lost", "grant", "client"] as const) {
      const browser = new Browser(server, ANN)
      const query = one.approve(await browser.begin(botId))
      one.failNext(fault)
      expect(await browser.back(query)).toBe(`/dashboard/bots/${botId}?crm_error=exchange`)
      expect(await connectionsOf(server)).toEqual(before)
    }
  })

  test("says bot where the bot is gone, without asking the provider", async () => {
    const { one, server } = stage
    const { id } = await server.parley.bots.create(ANN, { displayName: "Leaving" })
    const browser = new Browser(server, ANN)
    const query = one.approve(await browser.begin(id))
    await server.parley.bots.remove(ANN, id)
    const before = one.calls.length
    expect(await browser.back(query)).toBe(`/dashboard/bots/${id}?crm_error=bot`)
    expect(one.calls.length).toBe(before)
  })

  test("with a state that this browser was not given names no bot: 400", async () => {
    const { one, server } = stage
    const browser = new Browser(server, ANN)
    const query = one.approve(await browser.begin(botId))
    const stranger = new Browser(server, ANN)
    const before = one.calls.length
    for (const text of [String(query), "", "state=", "code=c", "state=x&code=c", `state=${"A".repeat(43)}&code=c`]) {
      await expectProblem(await stranger.get(`/api/crm/provider_one/callback?${text}`), 400, "crm_state_unknown")
    }
    const doubled = `${query}&state=${"A".repeat(43)}`
    await expectProblem(await browser.get(`/api/crm/provider_one/callback?${doubled}`), 400, "invalid_request")
    expect(one.calls.length).toBe(before)
  })
})

test("under a prefix the browser is led and its cookie kept below it", async () => {
  const one = scriptedCrm()
  const secrets = await Effect.runPromise(makeWebCryptoSecretBox(keys))
  const server = await startServer({ prefix: "/sub", parley: { work: false, crm: [one.provider], secrets } })
  const { id } = await server.parley.bots.create(ANN, { displayName: "Help" })
  const browser = new Browser(server, ANN, "/sub")
  const response = await browser.get(`/api/crm/provider_one/connect?botId=${id}`)
  expect(response.headers.getSetCookie()[0]).toContain("; Path=/sub/api/crm;")
  const url = new URL(response.headers.get("location") ?? "")
  expect(url.searchParams.get("redirect_uri")).toMatch(/\/sub\/api\/crm\/provider_one\/callback$/)
  expect(await browser.back(one.approve(url))).toBe(`/sub/dashboard/bots/${id}?crm_connected=provider_one`)
  await server.close()
})

test("DELETE /api/bots/{id}/crm/{provider} removes the connection, revokes it and reports that, or that the provider is called later; from another site it is refused", async () => {
  const { one, server } = stage
  const browser = new Browser(server, ANN)
  await browser.back(one.approve(await browser.begin(botId)))
  const remove = (headers: Readonly<Record<string, string>> = {}, provider = "provider_one") =>
    server.fetch(`/api/bots/${botId}/crm/${provider}`, { method: "DELETE", user: ANN, headers })
  await expectProblem(await remove({ "sec-fetch-site": "cross-site" }), 403, "cross_site_request")
  expect((await connectionsOf(server))[0]?.connection).not.toBeNull()
  await expectProblem(await remove({}, "constructor"), 404, "crm_provider_not_found")
  const removed = await remove()
  expect([removed.status, await removed.json()]).toEqual([200, { revocation: "revoked" }])
  expect(one.calls.at(-1)).toBe("revoke")
  expect((await connectionsOf(server))[0]?.connection).toBeNull()
  await expectProblem(await remove(), 404, "crm_not_connected")
  await browser.back(one.approve(await browser.begin(botId)))
  one.failNext("unavailable")
  expect(await (await remove()).json()).toEqual({ revocation: "pending" })
})

test("no token, code, state or verifier is in any log", () => {
  expect(stage.server.log.join("\n")).not.toMatch(/access-\d|refresh-\d|code-\d|v1\.[\w-]{8}\./)
})
