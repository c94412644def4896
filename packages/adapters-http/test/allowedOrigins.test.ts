import { runtimeOf } from "@parley/core/effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { HmacSessionVerifier, parleyFetch, parleyListener, routes } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, SECRET, startServer, type TestServer } from "./support/startServer.ts"
import { overFetch, surfaces } from "./support/surfaces.ts"

const APP = "https://app.parley.example"
const BASE = "https://api.parley.example"
const UUID = "00000000-0000-4000-8000-000000000000"

const strangers = [
  "https://evil.example",
  "null",
  "*",
  "",
  `${APP}.evil.example`,
  "https://evilapp.parley.example",
  "http://app.parley.example",
  `${APP}:8443`,
  `${APP}/`,
  "https://APP.parley.example",
  `${APP}, https://evil.example`,
  "https://parley.example",
  BASE
]

const corsOf = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("access-control-")))

const preflight = (server: TestServer, path: string, origin: string, method = "POST") =>
  server.fetch(path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": "x-other" }
  })

describe.each(surfaces)("pages of an allowed origin, behind %s", (_, surface) => {
  let server: TestServer
  let cookie: string
  beforeAll(async () => {
    server = await startServer({ surface, app: { baseUrl: BASE, allowedOrigins: [APP] } })
    cookie = `__Host-${await cookieFor("ann")}`
  })
  afterAll(() => server.close())

  test("learn from a preflight what they may send, with credentials", async () => {
    const response = await preflight(server, `/api/chats/${UUID}`, APP, "PATCH")
    expect(response.status).toBe(204)
    const cors = corsOf(response)
    expect(cors).toMatchObject({
      "access-control-allow-origin": APP,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "DELETE, GET, PATCH"
    })
    const sent = cors["access-control-allow-headers"]?.split(", ")
    expect(sent).toEqual(
      expect.arrayContaining(["authorization", "content-type", "idempotency-key", "x-on-disconnect"])
    )
    expect(sent).not.toContain("x-other")
    expect(response.headers.get("vary")).toBe("Origin")
  })

  test("read answers, errors and their headers, and may write", async () => {
    const headers = { origin: APP, "sec-fetch-site": "same-site", cookie, "content-type": "application/json" }
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hello." }] })
    const reply = await server.fetch("/api/chat", { method: "POST", headers, body })
    await reply.text()
    expect(reply.status).toBe(200)
    expect(corsOf(reply)).toMatchObject({
      "access-control-allow-origin": APP,
      "access-control-allow-credentials": "true"
    })
    const exposed = corsOf(reply)["access-control-expose-headers"]?.split(", ")
    expect(exposed).toEqual(expect.arrayContaining(["x-chat-id", "x-model", "retry-after", "x-request-id"]))
    expect(reply.headers.get("vary")).toBe("Origin")
    const lost = await server.fetch("/api/me", { headers: { origin: APP } })
    expect(corsOf(lost)["access-control-allow-origin"]).toBe(APP)
    await expectProblem(lost, 401, "unauthorized")
    const unknown = await server.fetch("/api/me", { method: "PUT", headers: { origin: APP } })
    expect(corsOf(unknown)["access-control-allow-origin"]).toBe(APP)
    await expectProblem(unknown, 405, "method_not_allowed")
  })

  test.each(strangers)("are no others: %j gets no CORS headers, and may not write", async (origin) => {
    const response = await preflight(server, "/api/chat", origin)
    expect(corsOf(response)).toEqual({})
    await expectProblem(response, 405, "method_not_allowed")
    const read = await server.fetch("/api/me", { headers: { origin, cookie } })
    expect({ cors: corsOf(read), vary: read.headers.get("vary") }).toEqual({ cors: {}, vary: "Origin" })
    if (origin === "" || origin === BASE) return
    const write = await server.fetch("/api/rag", { method: "POST", headers: { origin, cookie } })
    await expectProblem(write, 403, "cross_site_request")
  })

  test("get at the routes of people alone: webhooks, the widget, schedules and the rest are as before", async () => {
    const others = routes.filter(({ access }) => access.isPerson !== true)
    expect(others.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/api/webhooks/payment", "/api/widget/chat", "/widget.js", "/api/cron/reset-credits"])
    )
    for (const { method, path } of others) {
      const asked = await preflight(server, path.replace(/\{\w+\}/, "name"), APP, method)
      expect({ path, status: asked.status, cors: corsOf(asked) }).toEqual({ path, status: 405, cors: {} })
    }
    const config = await server.fetch("/api/widget/config/none", { headers: { origin: APP } })
    expect({ cors: corsOf(config), vary: config.headers.get("vary") }).toEqual({ cors: {}, vary: null })
  })
})

test("without allowed origins nothing is said of origins", async () => {
  const server = await startServer({ surface: overFetch((options, prefix) => parleyFetch({ ...options, prefix })) })
  const cookie = await cookieFor("ann")
  const read = await server.fetch("/api/me", { headers: { origin: APP, cookie } })
  expect({ cors: corsOf(read), vary: read.headers.get("vary") }).toEqual({ cors: {}, vary: null })
  await server.close()
})

test("an origin is allowed to the letter, or the server is not made", async () => {
  const { close, parley } = await startServer()
  const sessions = HmacSessionVerifier.make({ secret: SECRET })
  for (const origin of ["*", "null", "", `${APP}/`, "app.parley.example", "https://*.parley.example", "file://"]) {
    const make = () => parleyListener({ runtime: runtimeOf(parley), sessions, allowedOrigins: [origin] })
    expect(make, origin).toThrow(TypeError)
  }
  await close()
})
