import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { makeRefusalLog } from "../src/server/RefusalLog.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const CRON_SECRET = "the secret of schedules in this test"
const otherSecret = new TextEncoder().encode("another secret, just as long as the first")

interface Line {
  readonly level: string
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

let server: TestServer
let before = 0
beforeAll(async () => {
  server = await startServer({ app: { cronSecret: CRON_SECRET }, parley: { work: ["holds"] } })
})
beforeEach(() => {
  before = server.log.length
})
afterAll(() => server.close())

const newLines = () => server.log.slice(before).map((line) => JSON.parse(line) as Line)
const noted = () => newLines().map(({ annotations, level }) => ({ level, ...annotations }))

const withCookie = (cookie: string, path = "/api/chat") => server.fetch(path, { headers: { cookie } })

describe("the log of refused requests", () => {
  test("tells a request without a session from one whose token is refused, and never shows the token", async () => {
    const forged = await cookieFor("ann", { secret: otherSecret })
    await server.fetch("/api/chat")
    await withCookie(forged)
    const route = "GET /api/chat"
    expect(noted()).toMatchObject([
      { level: "INFO", route, code: "unauthorized", problem: "missing", requestId: expect.any(String) },
      { level: "WARN", route, code: "unauthorized", problem: "refused" }
    ])
    expect(noted().some((line) => "userId" in line)).toBe(false)
    expect(server.log.join()).not.toContain(forged.split(".")[1])
    expect(server.log.join()).not.toContain(forged.split(".")[2])
  })

  test("names the user of a genuine token that is expired or for another audience", async () => {
    const expired = await cookieFor("ann", { expiresAt: "-1h" })
    await withCookie(expired)
    expect(noted()).toMatchObject([{ level: "INFO", code: "unauthorized", problem: "expired", userId: "ann" }])
    expect(server.log.join()).not.toContain(expired.split(".")[2])
  })

  test("warns of several different valid sessions in one request", async () => {
    await withCookie(`${await cookieFor("ann")}; ${await cookieFor("bob")}`)
    expect(noted()).toMatchObject([{ level: "WARN", code: "unauthorized", problem: "ambiguous" }])
  })

  test("warns of a write from another site, with the user whose cookie rode along", async () => {
    const headers = { cookie: await cookieFor("ann"), "sec-fetch-site": "cross-site" }
    await server.fetch("/api/rag", { method: "POST", headers })
    expect(noted()).toMatchObject([
      { level: "WARN", route: "POST /api/rag", code: "cross_site_request", userId: "ann" }
    ])
  })

  test("names the person who asked for a model beyond the tier, or for another person's document", async () => {
    const messages = [{ role: "user", content: "Hi, this is private." }]
    expect((await server.post("/api/chat", { messages, modelId: "model-a" }, "ann")).status).toBe(403)
    const form = new FormData()
    form.set("file", new File(["bob's"], "bob.txt"))
    const uploaded = await server.fetch("/api/upload", { method: "POST", user: "bob", body: form })
    const { documentId } = (await uploaded.json()) as { documentId: string }
    expect((await server.post("/api/rag", { documentId }, "ann")).status).toBe(403)
    expect(noted()).toMatchObject([
      { level: "INFO", route: "POST /api/chat", code: "model_not_allowed", userId: "ann" },
      { level: "WARN", route: "POST /api/rag", code: "document_forbidden", userId: "ann" }
    ])
    expect(server.log.join()).not.toContain("private")
  })

  test("warns of a schedule without the secret, and shows neither what it sent nor the secret", async () => {
    for (const authorization of ["Bearer guess-one", "Basic guess-two"]) {
      await server.fetch("/api/cron/reset-credits", { headers: { authorization } })
    }
    const line = { level: "WARN", route: "GET /api/cron/reset-credits", code: "cron_unauthorized" }
    expect(noted()).toMatchObject([line, line])
    expect(server.log.join()).not.toMatch(/guess|the secret of schedules/)
  })

  test("is bounded, and a flood of one kind does not hide another", async () => {
    const flood = await startServer()
    try {
      for (let request = 0; request < 100; request++) await flood.fetch("/api/chat")
      for (let request = 0; request < 100; request++) await flood.fetch("/api/cron/reset-credits")
      const expired = await cookieFor("ann", { expiresAt: "-1h" })
      for (let request = 0; request < 100; request++) {
        await flood.fetch("/api/chat", { headers: { cookie: expired } })
      }
      await flood.fetch("/api/chat", { headers: { cookie: await cookieFor("bob", { expiresAt: "-1h" }) } })
      const kinds = flood.log.map((line) => {
        const { code, problem, userId } = (JSON.parse(line) as Line).annotations
        return [code, problem, userId].filter((word) => word !== undefined).join(" ")
      })
      const counts = Object.fromEntries(
        [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length])
      )
      // A minute may end within the test.
      const bounds: Readonly<Record<string, number>> = {
        "unauthorized missing": 20,
        cron_not_configured: 20,
        "unauthorized expired ann": 5,
        "unauthorized expired bob": 1
      }
      expect(Object.keys(counts).toSorted()).toEqual(Object.keys(bounds).toSorted())
      for (const [kind, count] of Object.entries(counts)) {
        expect({ kind, isBounded: count <= 2 * (bounds[kind] ?? 0) }).toEqual({ kind, isBounded: true })
      }
    } finally {
      await flood.close()
    }
  })

  test("tells after the minute how many lines were left out, and makes no two lines of one name", async () => {
    const lines: Array<Line> = []
    const logger = Logger.map(Logger.formatJson, (line) => void lines.push(JSON.parse(line) as Line))
    const refusal = { route: "GET /x", code: "unauthorized", problem: "expired", suspicious: false }
    const work = Effect.gen(function* () {
      const { note } = makeRefusalLog()
      for (let user = 0; user < 30; user++) yield* note({ ...refusal, userId: `user ${user}` })
      expect(lines).toHaveLength(20)
      yield* TestClock.adjust("59 seconds")
      yield* note({ ...refusal, userId: "late" })
      expect(lines).toHaveLength(20)
      yield* TestClock.adjust("1 second")
      yield* note({ ...refusal, userId: "ann\nlevel=ERROR\u2028x\u001b[31m" })
      yield* note({ ...refusal, userId: undefined })
    })
    await Effect.runPromise(work.pipe(Effect.provide([TestClock.layer(), Logger.layer([logger])])))
    expect(lines.slice(20).map(({ annotations }) => annotations)).toEqual([
      {
        route: "GET /x",
        code: "unauthorized",
        problem: "expired",
        userId: "ann\ufffdlevel=ERROR\ufffdx\ufffd[31m",
        unloggedBefore: 11
      },
      { route: "GET /x", code: "unauthorized", problem: "expired" }
    ])
  })
})
