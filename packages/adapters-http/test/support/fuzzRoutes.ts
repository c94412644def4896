import { InvalidSignature } from "@parley/core/adapter"
import { neutralProvider } from "@parley/core/testing"
import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Route, routes } from "../../src/index.ts"
import { errorsOf } from "../../src/core/openApiDocument.ts"
import { problemTable } from "../../src/problems/problemTable.ts"
import { startServer, type TestServer } from "./startServer.ts"

const USER = "fuzzer"
const CRON_SECRET = "for-schedules"
const UUID = "00000000-0000-4000-8000-000000000000"

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "\0",
    "\ud800",
    "__proto__",
    "constructor",
    "1e309",
    "-1",
    "9".repeat(400),
    UUID,
    "' or 1=1 --"
  )
)
const integer = fc.oneof(fc.integer().map(String), fc.constantFrom("1", "50", "200", "0"))

const anything = fc.anything({ key: fc.oneof(nasty, fc.constantFrom("messages", "role", "content")), maxDepth: 4 })
const messages = fc.array(
  fc.record(
    { role: fc.oneof(fc.constantFrom("user", "assistant", "system"), anything), content: fc.oneof(nasty, anything) },
    { requiredKeys: [] }
  ),
  { maxLength: 5 }
)
const chatBody = fc.record(
  {
    messages: fc.oneof(messages, anything),
    chatId: fc.oneof(fc.constant(UUID), nasty, anything),
    modelId: fc.oneof(fc.constantFrom("model-a-mini", "model-a"), nasty),
    documentIds: fc.oneof(fc.array(fc.oneof(fc.constant(UUID), nasty)), anything),
    extra: anything
  },
  { requiredKeys: [] }
)
const bodies: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "/api/chat": chatBody,
  "/api/chats/{id}": fc.record({ title: fc.oneof(nasty, anything) }, { requiredKeys: [] }),
  "/api/chats/{id}/documents": fc.record(
    { documentIds: fc.oneof(fc.array(fc.oneof(fc.constant(UUID), nasty)), anything) },
    { requiredKeys: [] }
  ),
  "/api/rag": fc.record({ documentId: fc.oneof(fc.constant(UUID), nasty, anything) }, { requiredKeys: [] }),
  "/dev/sign-in": fc.record({ email: fc.oneof(fc.emailAddress(), nasty, anything) }, { requiredKeys: [] })
}

const asJson = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "undefined"
  } catch {
    return "[circular"
  }
}

const jsonText = (route: Route) =>
  fc.oneof(
    { weight: 6, arbitrary: (bodies[route.path] ?? anything).map(asJson) },
    { weight: 2, arbitrary: anything.map(asJson) },
    { weight: 1, arbitrary: nasty }
  )

const boundary = "b"
const partText = fc
  .tuple(
    fc.constantFrom("file", "other", "", "__proto__"),
    fc.option(fc.oneof(fc.constantFrom("a.txt", "a.pdf", "a.docx", "a.exe", ""), nasty)),
    nasty,
    fc.constantFrom("\r\n\r\n", "\r\n", "\n\n", "\r\n\0\r\n\r\n")
  )
  .map(([field, name, content, separator]) => {
    const filename = name === null ? "" : `; filename="${name}"`
    return `--${boundary}\r\nContent-Disposition: form-data; name="${field}"${filename}${separator}${content}\r\n`
  })
const multipart = fc
  .tuple(fc.array(partText, { maxLength: 3 }), fc.constantFrom(`--${boundary}--\r\n`, "", `--${boundary}`))
  .map(([parts, end]) => parts.join("") + end)

const bodyOf = (route: Route): fc.Arbitrary<string | undefined> => {
  if (route.body === undefined) return fc.constant(undefined)
  return route.body.contentType === "application/json" ? jsonText(route) : multipart
}

const contentTypeOf = (route: Route): fc.Arbitrary<string> => {
  const right = route.body?.contentType ?? "application/json"
  const withBoundary = right === "multipart/form-data" ? `${right}; boundary=${boundary}` : right
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(withBoundary) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("text/plain", "multipart/form-data", "application/json; charset=utf-16", ";")
    }
  )
}

const requestOf = (route: Route) =>
  fc.record({
    id: fc.oneof(fc.constant(UUID), nasty),
    query: fc.array(
      fc.tuple(fc.constantFrom("limit", "offset", "type", "limit[]", "search", "from", "to"), fc.oneof(integer, nasty)),
      {
        maxLength: 3
      }
    ),
    body: bodyOf(route),
    contentType: contentTypeOf(route)
  })

const wellFormed = (text: string) => encodeURIComponent(text.toWellFormed())

/** Has every route answer this many requests that are made up, each on its own. */
export const fuzzRoutes = (runs: number): void => {
  let server: TestServer
  beforeAll(async () => {
    const free = { monthlyCredits: 1_000_000, maxDocuments: 100_000 }
    // Nothing that is made up has the provider's signature.
    const payments = { ...neutralProvider(), verify: () => Effect.fail(new InvalidSignature({ problem: "mismatch" })) }
    const parley = { work: ["holds"] as const, config: { tiers: { free } }, payments }
    server = await startServer({ parley, app: { cronSecret: CRON_SECRET } })
  })
  afterAll(() => server.close())

  describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_, route) => {
    test("answers any input with a status of its own, failures as problem details, and never on our side", async () => {
      const statuses = new Set<number>([
        ...Object.keys(route.responses).map(Number),
        ...errorsOf(route).map((code) => problemTable[code].status)
      ])
      const property = fc.asyncProperty(requestOf(route), async ({ id, query, body, contentType }) => {
        const path = route.path.replace("{id}", id === "" || /^\.\.?$/.test(id) ? "x" : wellFormed(id))
        const search = query.map(([name, value]) => `${wellFormed(name)}=${wellFormed(value)}`).join("&")
        const response = await server.fetch(`${path}?${search}`, {
          method: route.method,
          redirect: "manual",
          user: USER,
          headers: {
            ...(route.access.name === "cron" ? { authorization: `Bearer ${CRON_SECRET}` } : {}),
            ...(route.access.name === "key" ? { authorization: `Bearer ${server.serviceKey.key}` } : {}),
            ...(body === undefined ? {} : { "content-type": contentType })
          },
          ...(body === undefined ? {} : { body: Buffer.from(body) })
        })
        const text = await response.text()
        expect(response.status).toBeLessThan(500)
        expect([...statuses]).toContain(response.status)
        if (response.status < 400) return
        expect(response.headers.get("content-type")).toBe("application/problem+json")
        expect(JSON.parse(text)).toMatchObject({ status: response.status, requestId: expect.any(String) })
      })
      await fc.assert(property, { numRuns: runs })
      await server.requests.idle()
      expect(await server.parley.credits.balance(USER)).toMatchObject({ held: 0 })
    })
  })
}
