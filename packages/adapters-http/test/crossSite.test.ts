import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { routes } from "../src/index.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const BASE = "https://parley.example"
let server: TestServer
beforeAll(async () => {
  server = await startServer({ app: { baseUrl: BASE } })
})
afterAll(() => server.close())

/** The session cookie as it counts over https. */
const hostCookieFor = async (user: string) => `__Host-${await cookieFor(user)}`

/** The status of a write with these headers, over a socket: a fetch sets some of them itself. */
const write = async (
  headers: Readonly<Record<string, string>>,
  method = "POST",
  path = "/dev/sign-out",
  port = server.port
) => {
  const raw = await openRaw(port)
  const lines = Object.entries({
    host: `localhost:${port}`,
    "content-length": "0",
    connection: "close",
    ...headers
  })
  raw.socket.write(
    [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n")
  )
  await raw.closed
  return { status: Number(raw.received().slice(9, 12)), text: raw.received() }
}

describe("writes that a browser sends for another site are refused", () => {
  test.each([
    ["cross-site", { "sec-fetch-site": "cross-site" }],
    ["same-site, a sibling domain", { "sec-fetch-site": "same-site" }],
    ["cross-site with our own Origin", { "sec-fetch-site": "cross-site", origin: BASE }],
    ["an unknown word", { "sec-fetch-site": "own" }],
    ["an empty word", { "sec-fetch-site": "" }],
    ["another Origin", { origin: "https://evil.example" }],
    ["our host as a prefix", { origin: "https://parley.example.evil.example" }],
    ["our host as a suffix", { origin: "https://evilparley.example" }],
    ["our host over http", { origin: "http://parley.example" }],
    ["another port", { origin: "https://parley.example:8443" }],
    ["an opaque Origin", { origin: "null" }],
    ["an empty Origin", { origin: "" }],
    ["a list of Origins", { origin: `${BASE}, https://evil.example` }],
    ["a file", { origin: "file://" }],
    ["an Origin with a path", { origin: `${BASE}/` }],
    ["an Origin with a user", { origin: "https://parley.example@evil.example" }],
    [
      "the Host as Origin, which a proxy may have been told to pass on",
      { origin: "http://localhost:4000", host: "localhost:4000" }
    ]
  ])("%s", async (_, headers) => {
    const { status, text } = await write(headers)
    expect(status).toBe(403)
    expect(text).toContain("cross_site_request")
    expect(text).not.toMatch(/^set-cookie/im)
  })
})

describe("writes of our own pages, and of programs, are taken", () => {
  test.each([
    ["same-origin", { "sec-fetch-site": "same-origin" }],
    ["typed by hand", { "sec-fetch-site": "none" }],
    ["our base URL as Origin", { origin: BASE }],
    ["neither header", {}]
  ])("%s", async (_, headers) => {
    expect((await write(headers)).status).toBe(204)
  })

  test("where no base URL is known, the Host as Origin", async () => {
    const unnamed = await startServer()
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await write(headers, "POST", "/dev/sign-out", unnamed.port)).status
    expect(await status({ origin: "http://localhost:4000", host: "localhost:4000" })).toBe(204)
    expect(await status({ origin: "http://localhost:4001", host: "localhost:4000" })).toBe(403)
    await unnamed.close()
  })
})

test("every route that writes for a session refuses another site, before it reads the body", async () => {
  const cookie = await hostCookieFor("ann")
  const writing = routes.filter((route) => route.method !== "GET" && route.access.name === "session")
  expect(writing.length).toBeGreaterThan(0)
  for (const route of writing) {
    const path = route.path.replace("{id}", "00000000-0000-4000-8000-000000000000")
    const { status } = await write({ cookie, "sec-fetch-site": "cross-site" }, route.method, path)
    expect({ path, status }).toEqual({ path, status: 403 })
  }
})

test("reads are not asked where they come from, and get no CORS headers", async () => {
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site", cookie: await hostCookieFor("ann") }
  const { status, text } = await write(headers, "GET", "/api/billing/balance")
  expect(status).toBe(200)
  expect(text).not.toMatch(/^access-control/im)
})

test("a preflight is refused", async () => {
  const headers = { origin: "https://evil.example", "access-control-request-method": "POST" }
  await expectProblem(await server.fetch("/api/chat", { method: "OPTIONS", headers }), 405, "method_not_allowed")
})
