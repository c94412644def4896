import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
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

const newLines = () =>
  server.log
    .slice(before)
    .map((line) => JSON.parse(line) as Line)
    .filter(({ annotations }) => annotations["event"] === "refused")
const noted = () => newLines().map(({ annotations, level }) => ({ level, ...annotations }))

const withCookie = (cookie: string, path = "/api/chat") => server.fetch(path, { headers: { cookie } })

describe("the log of refused requests", () => {
  test("tells a request without a session from one whose token is refused, and never shows the token", async () => {
    const forged = await cookieFor("ann", { secret: otherSecret })
    await server.fetch("/api/chat")
    await withCookie(forged)
    const route = "GET /api/chat"
    expect(noted()).toMatchObject([
      { level: "INFO", route, outcome: "unauthorized", problem: "missing", requestId: expect.any(String) },
      { level: "WARN", route, outcome: "unauthorized", problem: "refused" }
    ])
    expect(noted().some((line) => "userId" in line)).toBe(false)
    expect(server.log.join()).not.toContain(forged.split(".")[1])
    expect(server.log.join()).not.toContain(forged.split(".")[2])
  })

  test("names the user of a genuine token that is expired or for another audience", async () => {
    const expired = await cookieFor("ann", { expiresAt: "-1h" })
    await withCookie(expired)
    expect(noted()).toMatchObject([{ level: "INFO", outcome: "unauthorized", problem: "expired", userId: "ann" }])
    expect(server.log.join()).not.toContain(expired.split(".")[2])
  })

  test("warns of several different valid sessions in one request", async () => {
    await withCookie(`${await cookieFor("ann")}; ${await cookieFor("bob")}`)
    expect(noted()).toMatchObject([{ level: "WARN", outcome: "unauthorized", problem: "ambiguous" }])
  })

  test("warns of a write from another site, with the user whose cookie rode along", async () => {
    const headers = { cookie: await cookieFor("ann"), "sec-fetch-site": "cross-site" }
    await server.fetch("/api/rag", { method: "POST", headers })
    expect(noted()).toMatchObject([
      { level: "WARN", route: "POST /api/rag", outcome: "cross_site_request", userId: "ann" }
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
      { level: "INFO", route: "POST /api/chat", outcome: "model_not_allowed", userId: "ann" },
      { level: "WARN", route: "POST /api/rag", outcome: "document_forbidden", userId: "ann" }
    ])
    expect(server.log.join()).not.toContain("private")
  })

  test("warns of a schedule without the secret, and shows neither what it sent nor the secret", async () => {
    for (const authorization of ["Bearer guess-one", "Basic guess-two"]) {
      await server.fetch("/api/cron/reset-credits", { headers: { authorization } })
    }
    const line = { level: "WARN", route: "GET /api/cron/reset-credits", outcome: "cron_unauthorized" }
    expect(noted()).toMatchObject([line, line])
    expect(server.log.join()).not.toMatch(/guess|the secret of schedules/)
  })

  test("names the client's address and agent, not the address that the client claims", async () => {
    const headers = { "user-agent": "curl/8\u0085event=erased", "x-forwarded-for": "198.51.100.9" }
    await server.fetch("/api/chat", { headers })
    const [line] = noted()
    expect(line).toMatchObject({
      event: "refused",
      route: "GET /api/chat",
      userAgent: "curl/8\ufffdevent=erased",
      address: expect.stringMatching(/^(?:127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/)
    })
    expect(server.log.join()).not.toContain("198.51.100.9")
  })
})
