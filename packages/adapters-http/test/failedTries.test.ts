import { runtimeOf, SecurityEvents } from "@parley/core/effect"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { FailedTries } from "../src/server/FailedTries.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const CRON_SECRET = "the-secret-of-schedules-in-this-test"
const otherSecret = new TextEncoder().encode("another secret, just as long as the first")
const LIMIT = 1_000

interface Line {
  readonly annotations: Readonly<Record<string, unknown>>
}

let server: TestServer
beforeAll(async () => {
  server = await startServer({ app: { cronSecret: CRON_SECRET }, parley: { work: ["holds"] } })
})
afterAll(() => server.close())

const events = (log: ReadonlyArray<string>) =>
  log.map((line) => (JSON.parse(line) as Line).annotations).filter((fields) => fields["event"] !== undefined)

/** The refusals that the server has counted. */
const total = async () => {
  const totals = await runtimeOf(server.parley).runPromise(SecurityEvents.use(({ refusals }) => refusals))
  return Object.values(totals).reduce((sum, count) => sum + count, 0)
}

/** Sends requests, twenty at a time; returns the number of responses by status. */
const flood = async (count: number, send: (index: number) => Promise<Response>) => {
  const statuses: Array<number> = []
  let sent = 0
  const sender = async () => {
    while (sent < count) {
      const response = await send(sent++)
      statuses.push(response.status)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 20 }, sender))
  return Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]))
}

describe("tries of wrong credentials", () => {
  test("2,000 from an address: 1,000 get 401, the others 429 with Retry-After; all are counted, in few lines, and valid sessions beside them are served", async () => {
    const headers = { cookie: await cookieFor("ann", { secret: otherSecret }) }
    const before = await total()
    const answers = await flood(2_040, (index) =>
      index % 51 === 0 ? server.fetch("/api/me", { user: `person ${index}` }) : server.fetch("/api/chat", { headers })
    )
    expect(answers).toEqual({ 200: 40, 401: LIMIT, 429: 1_000 })
    expect((await total()) - before).toBe(2_000)
    expect(events(server.log).filter(({ event }) => event === "refused").length).toBeLessThan(30)
    const refused = await server.fetch("/api/chat", { headers })
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    await expectProblem(refused, 429, "too_many_failures")
  })

  test("count no missing and no expired session, and let a page learn that no person is signed in", async () => {
    await expectProblem(await server.fetch("/api/chat"), 401, "unauthorized")
    const expired = { cookie: await cookieFor("ann", { expiresAt: "-1h" }) }
    await expectProblem(await server.fetch("/api/chat", { headers: expired }), 401, "unauthorized")
    const forged = { cookie: await cookieFor("ann", { secret: otherSecret }) }
    const session = await server.fetch("/api/session", { headers: forged })
    expect(await session.json()).toEqual({ me: null })
  })

  test("of keys and of the secret of schedules are counted separately, and the right one is always accepted", async () => {
    const send = (path: string, bearer: string) =>
      server.fetch(path, {
        method: path.startsWith("/v1/") ? "POST" : "GET",
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" }
      })
    for (const [path, right, accepted] of [
      ["/api/cron/reset-credits", CRON_SECRET, 200],
      ["/v1/credits/reserve", server.serviceKey.key, 400]
    ] as const) {
      expect(await flood(LIMIT + 5, (index) => send(path, `guess-${index}`))).toEqual({ 401: LIMIT, 429: 5 })
      expect((await send(path, right)).status).toBe(accepted)
    }
    expect(server.log.join()).not.toMatch(/guess-\d/)
  })

  test("from any number of addresses take bounded memory, share one window beyond it, and begin anew after a minute", async () => {
    const tries = new FailedTries()
    const failBy = (peer: string) => Effect.exit(tries.refuse("session", { peer }, "wrong"))
    const work = Effect.gen(function* () {
      for (let address = 0; address < 20_000; address++) yield* failBy(`10.0.${address >> 8}.${address & 255}`)
      expect(tries.size).toBeLessThanOrEqual(10_001)
      const late = yield* failBy("192.0.2.1")
      expect(Exit.isFailure(late) && JSON.stringify(late)).toContain("TooManyFailures")
      yield* TestClock.adjust("1 minute")
      expect(yield* Effect.flip(tries.refuse("session", { peer: "192.0.2.1" }, "wrong"))).toBe("wrong")
    })
    await Effect.runPromise(Effect.provide(work, TestClock.layer()))
  })
})

describe("security events of a server", () => {
  test("report sign-ins, sign-outs and refusals in order, each once, and name no token", async () => {
    const from = server.log.length
    const cookie = await cookieFor("zoe")
    const headers = { cookie, "user-agent": "test/1" }
    for (let time = 0; time < 3; time++) await server.fetch("/api/me", { headers })
    await server.fetch("/api/sign-out", { method: "POST", headers })
    await server.fetch("/api/me", { headers })
    const [signedIn, signedOut, ...refused] = events(server.log.slice(from))
    const client = { userId: "zoe", userAgent: "test/1", requestId: expect.any(String) }
    expect(signedIn).toMatchObject({ ...client, event: "signed_in", route: "GET /api/me", outcome: "ok" })
    expect(signedOut).toMatchObject({ ...client, event: "signed_out", route: "POST /api/sign-out", outcome: "ok" })
    expect(refused).toMatchObject([{ ...client, event: "refused", outcome: "unauthorized", problem: "signed-out" }])
    expect(server.log.join()).not.toContain(cookie.split(".")[2])
  })

  test("contain no part of a token, in any place of a request", async () => {
    const token = fc.stringMatching(/^[A-Za-z0-9_-]{24,60}\.[A-Za-z0-9_-]{24,60}\.[A-Za-z0-9_-]{24,60}$/)
    const place = fc.constantFrom("cookie", "bearer", "key", "cron", "path")
    await fc.assert(
      fc.asyncProperty(token, place, async (secret, where) => {
        const from = server.log.length
        const bearer = { authorization: `Bearer ${secret}` }
        if (where === "cookie") await server.fetch("/api/chat", { headers: { cookie: `parley_session=${secret}` } })
        if (where === "bearer") await server.fetch("/api/me", { headers: bearer })
        if (where === "key") await server.fetch("/v1/credits/reserve", { method: "POST", headers: bearer })
        if (where === "cron") await server.fetch("/api/cron/reset-credits", { headers: bearer })
        if (where === "path") await server.fetch(`/api/chats/${secret}?token=${secret}`)
        const written = server.log.slice(from).join()
        for (const part of secret.split(".")) expect(written).not.toContain(part)
      }),
      { numRuns: 60 }
    )
  })
})
