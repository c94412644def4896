import { openInMemory } from "@parley/core"
import { afterEach, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer, type TestServerOptions } from "./support/startServer.ts"

const servers: Array<TestServer> = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
const start = async (options: TestServerOptions = {}) => {
  const server = await startServer(options)
  servers.push(server)
  return server
}

const ask = (to: TestServer, cookie: string, path = "/api/me", init: RequestInit = {}) =>
  to.fetch(path, { ...init, headers: { ...init.headers, cookie } })
const signOut = (to: TestServer, cookie: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(to, cookie, "/api/sign-out", { method: "POST", headers })

test("ends a session for good: its cookie is emptied, and its token refused, also a copy of it", async () => {
  const to = await start({ app: { signOutUrl: "https://id.example/out" } })
  const [cookie, other] = [await cookieFor("ann"), await cookieFor("ann", { expiresAt: "2h" })]
  expect((await ask(to, cookie)).status).toBe(200)
  const out = await signOut(to, cookie)
  expect(out.status).toBe(200)
  expect(await out.json()).toEqual({ url: "https://id.example/out" })
  expect(out.headers.get("set-cookie")).toMatch(/^parley_session=; Max-Age=0/)
  await expectProblem(await ask(to, cookie), 401, "unauthorized")
  await expectProblem(await signOut(to, cookie), 401, "unauthorized")
  // Another session of the same person continues.
  expect((await ask(to, other)).status).toBe(200)
  expect(to.log.join("\n")).not.toContain(cookie.slice("parley_session=".length))
})

test("leads a form on, to the configured page or the first one", async () => {
  const to = await start({ app: { signOutUrl: "https://id.example/out" } })
  const form = { accept: "text/html,application/xhtml+xml" }
  const led = await ask(to, await cookieFor("ann"), "/api/sign-out", {
    method: "POST",
    headers: form,
    redirect: "manual"
  })
  expect([led.status, led.headers.get("location")]).toEqual([303, "https://id.example/out"])
  const home = await start()
  const stays = await ask(home, await cookieFor("ann"), "/api/sign-out", {
    method: "POST",
    headers: form,
    redirect: "manual"
  })
  expect([stays.status, stays.headers.get("location")]).toEqual([303, "/"])
})

test("empties the cookie where it was set: below the path under which the routes are mounted", async () => {
  const to = await start({ prefix: "/parley" })
  const cookie = await cookieFor("ann")
  const out = await ask(to, cookie, "/parley/api/sign-out", { method: "POST" })
  expect([out.status, out.headers.getSetCookie()]).toEqual([
    200,
    [expect.stringMatching(/^parley_session=; Max-Age=0; Path=\/parley;/)]
  ])
})

test("refuses a sign-out from a page of another site, and one without a session", async () => {
  const to = await start()
  const cookie = await cookieFor("ann")
  await expectProblem(await signOut(to, cookie, { "sec-fetch-site": "cross-site" }), 403, "cross_site_request")
  expect((await ask(to, cookie)).status).toBe(200)
  await expectProblem(await to.fetch("/api/sign-out", { method: "POST" }), 401, "unauthorized")
})

test("a server that starts on the same storage refuses it too", async () => {
  const stores = await openInMemory()
  const first = await start({ parley: stores })
  const cookie = await cookieFor("ann")
  await signOut(first, cookie)
  const second = await start({ parley: stores })
  await expectProblem(await ask(second, cookie), 401, "unauthorized")
})
