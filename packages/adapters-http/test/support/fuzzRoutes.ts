import { InvalidSignature } from "@parley/core/adapter"
import { neutralProvider } from "@parley/core/testing"
import { runtimeOf, UserService } from "@parley/core/effect"
import { Effect } from "effect"
import fc from "fast-check"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Route, routes } from "../../src/index.ts"
import { errorsOf } from "../../src/core/openApiDocument.ts"
import { problemTable } from "../../src/problems/problemTable.ts"
import { parleyFetch } from "../../src/index.ts"
import { startServer, type TestServer } from "./startServer.ts"
import { overFetch } from "./surfaces.ts"

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

/** The planted data of another person. */
interface Foreign {
  readonly secrets: ReadonlyArray<string>
  readonly chatId: string
  readonly documentId: string
  readonly botId: string
}

const OTHER = "planted-person"
const MARKER = "marker-of-another-person"

/** Gives another person a chat, a document and a bot that contain the marker. */
const plant = async (server: TestServer): Promise<Foreign> => {
  const reply = await server.post("/api/chat", { messages: [{ role: "user", content: MARKER }] }, OTHER)
  await reply.text()
  const form = new FormData()
  form.set("file", new File([MARKER], `${MARKER}.txt`))
  const uploaded = await server.fetch("/api/upload", { method: "POST", user: OTHER, body: form })
  const { documentId } = (await uploaded.json()) as { documentId: string }
  const { id: botId } = await server.parley.bots.create(OTHER, { displayName: MARKER })
  const chatId = reply.headers.get("x-chat-id") ?? ""
  return { secrets: [MARKER], chatId, documentId, botId }
}

const wellFormed = (text: string) => encodeURIComponent(text.toWellFormed())

/** The id of the other person's data for a route's path. Services and operators may read it: theirs stays made up. */
const idOf = ({ access, path }: Route, { botId, chatId, documentId }: Foreign): string =>
  access.name === "key" ? UUID : path.includes("/bots/") ? botId : path.includes("/chats/") ? chatId : documentId

/** Bytes in use after a full collection. */
const heapInUse = (): number => {
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
  return process.memoryUsage().heapUsed
}

/** The most that the heap may grow over all requests, once what they stored is erased. */
const MOST_GROWTH_BYTES = 48 * 1024 * 1024

/** Has every route answer this many requests that are made up, each on its own; `judged` judges all of them, too. */
export const fuzzRoutes = (runs: number, judged = false): void => {
  let server: TestServer
  let heapBefore = 0
  const durations: Array<number> = []
  /** Texts and ids of another person, which no response may contain. */
  let foreign: Foreign
  beforeAll(async () => {
    const free = { monthlyCredits: 1_000_000, maxDocuments: 100_000 }
    // Nothing that is made up has the provider's signature.
    const payments = { ...neutralProvider(), verify: () => Effect.fail(new InvalidSignature({ problem: "mismatch" })) }
    const parley = { work: ["holds"] as const, config: { tiers: { free } }, payments }
    const surface = overFetch((options, prefix) => parleyFetch({ ...options, prefix }))
    server = await startServer({ parley, surface, app: { cronSecret: CRON_SECRET, baseUrl: "http://localhost" } })
    foreign = await plant(server)
    if (judged) heapBefore = heapInUse()
  })
  afterAll(() => server.close())

  describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_, route) => {
    test("answers any input with a status of its own, failures as problem details, and never on our side", async () => {
      const statuses = new Set<number>([
        ...Object.keys(route.responses).map(Number),
        ...errorsOf(route).map((code) => problemTable[code].status)
      ])
      const property = fc.asyncProperty(requestOf(route), async ({ id, query, body, contentType }) => {
        const named = id === UUID ? idOf(route, foreign) : id
        const path = route.path.replace("{id}", named === "" || /^\.\.?$/.test(named) ? "x" : wellFormed(named))
        const search = query.map(([name, value]) => `${wellFormed(name)}=${wellFormed(value)}`).join("&")
        const sentAt = performance.now()
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
        if (judged) durations.push(performance.now() - sentAt)
        expect(response.status, text).toBeLessThan(500)
        for (const secret of foreign.secrets) expect(text).not.toContain(secret)
        expect([...statuses]).toContain(response.status)
        if (response.status < 400) return
        if (route.failures !== undefined) {
          expect(response.headers.get("content-type")).toBe(route.failures.contentType)
          expect(JSON.parse(text)).toEqual({ error: expect.objectContaining({ code: expect.any(String) }) })
          return
        }
        expect(response.headers.get("content-type")).toBe("application/problem+json")
        expect(JSON.parse(text)).toMatchObject({ status: response.status, requestId: expect.any(String) })
      })
      await fc.assert(property, { numRuns: runs })
      await server.requests.idle()
      expect(await server.parley.credits.balance(USER)).toMatchObject({ held: 0 })
    })
  })

  if (!judged) return
  test("answers 99.9 % within a second, and keeps no memory of erased data", async () => {
    await runtimeOf(server.parley).runPromise(UserService.use((users) => users.erase(USER)))
    const grown = heapInUse() - heapBefore
    const sorted = Float64Array.from(durations).toSorted()
    const [median = 0, late = Infinity] = [0.5, 0.999].map((part) => sorted[Math.floor(part * sorted.length)])
    const megabytes = (grown / 1024 / 1024).toFixed(1)
    process.stdout.write(
      `${sorted.length} requests: median ${median.toFixed(2)} ms, 99.9 % ${late.toFixed(1)} ms, ${megabytes} MB more\n`
    )
    expect(late).toBeLessThan(1_000)
    expect(grown).toBeLessThan(MOST_GROWTH_BYTES)
  })
}
