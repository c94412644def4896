import { afterAll, beforeAll, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** A report as Chromium sends it. The texts marked `secret` are contents of the page and its address. */
const report = (directive: unknown) => ({
  "csp-report": {
    "document-uri": "https://parley.example/chats/1?code=secret",
    referrer: "https://parley.example/?secret",
    "violated-directive": directive,
    "effective-directive": directive,
    "original-policy": "default-src 'none'",
    "blocked-uri": "https://evil.example/?secret",
    "script-sample": "secret"
  }
})

const send = (body: unknown, type = "application/csp-report") =>
  server.fetch("/csp-reports", {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": type }
  })

const refused = () => server.log.filter((line) => line.includes("csp_violation"))

test("a report is a security event with its directive, and nothing else of it is kept", async () => {
  expect((await send(report("script-src-elem"))).status).toBe(204)
  expect((await send(report("a directive of no policy: secret"))).status).toBe(204)
  expect((await send(report(undefined))).status).toBe(204)
  const problems = refused().map(
    (line) => (JSON.parse(line) as { annotations: { problem: string } }).annotations.problem
  )
  expect(problems).toEqual(["script-src-elem", "other", "other"])
  expect(server.log.join("\n")).not.toContain("secret")
})

test("a flood of reports is a few lines", async () => {
  const before = refused().length
  for (let index = 0; index < 30; index += 1) expect((await send(report("img-src"))).status).toBe(204)
  expect(refused().length - before).toBe(5)
})

test("anything else is refused, and not read beyond 16 KiB", async () => {
  for (const body of ["", "[]", "null", "{}", "secret", { "csp-report": { "effective-directive": 7 } }]) {
    const problem = await expectProblem(await send(body), 400, "invalid_request")
    expect(JSON.stringify(problem)).not.toContain("secret")
  }
  await expectProblem(await send("x".repeat(16 * 1024 + 1)), 413, "payload_too_large")
})
