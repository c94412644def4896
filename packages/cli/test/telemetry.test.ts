import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { instruments } from "@parley/core/adapter"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { prometheusName } from "../src/telemetry/metricsText.ts"
import { attributesOf, Collector } from "./processes/Collector.ts"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { type ServerHere, serveHere } from "./processes/serveHere.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const CALLER = "00f067aa0ba902b7"
const QUESTION = "When is the rent due in the lease?"
const LEASE = "The rent is due on the third day of each month. The deposit is two rents."

const allFacts = Object.values(instruments).map(({ facts }) => facts)

/** Uploads a document, waits until it is read, and asks about it, both below a caller's span. */
const askAboutLease = async (url: string) => {
  const ann = new Visitor(url)
  await ann.signIn("ann@example.com")
  const form = new FormData()
  form.set("file", new File([LEASE], "lease.txt"))
  const headers = { cookie: ann.cookie, traceparent: `00-${TRACE}-${CALLER}-01` }
  const uploaded = await fetch(`${url}/api/upload`, { method: "POST", headers, body: form })
  const { documentId: id } = (await uploaded.json()) as { documentId: string }
  await eventually("the document to be read", async () => {
    const { status } = await ann.getJson<{ status: string }>(`/api/documents/${id}`)
    return status === "ready" || undefined
  })
  const asked = { messages: [{ role: "user", content: QUESTION }], documentIds: [id] }
  const answer = await ann.post("/api/chat", asked, { traceparent: `00-${TRACE}-${CALLER}-01` })
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true])
}

const metricsPortOf = (server: ServerHere) =>
  eventually(
    "the port of the metrics",
    () => /Metrics are served at \/metrics[^]*?port['"]?:? *(\d+)/.exec(server.said.stderr)?.[1]
  )

describe("a server whose telemetry is collected", () => {
  const folder = temporaryFolder()
  let collector: Collector
  let server: ServerHere
  let metricsPort: string
  /** The traces of the webhooks that arrived, by the types of their events. */
  const webhooks = new Map<string, string>()
  const receiver = createServer(async (request, response) => {
    const { type } = JSON.parse(await text(request)) as { readonly type: string }
    webhooks.set(type, String(request.headers["traceparent"]))
    response.writeHead(204).end()
  })
  // The tests of other files count in the same process.
  const sumOf = ({ series }: (typeof instruments)["settled"]) => series.reduce((sum, { value }) => sum + value, 0)
  let settledBefore = 0
  let openBefore = 0
  beforeAll(async () => {
    collector = await Collector.start()
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const events = ["document.ready", "reply.finished"]
    writeFileSync(join(folder.path, "parley.json"), JSON.stringify({ webhooks: [{ url, secret: "HOOK", events }] }))
    settledBefore = sumOf(instruments.settled)
    openBefore = sumOf(instruments.reserved) - settledBefore - sumOf(instruments.released)
    server = await serveHere(folder.path, {
      PARLEY_CONFIG: "parley.json",
      HOOK: `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: "200",
      OTEL_BSP_SCHEDULE_DELAY: "200",
      PARLEY_METRICS_PORT: "0",
      PARLEY_LOG_REQUESTS: "on"
    })
    metricsPort = await metricsPortOf(server)
  })
  afterAll(async () => {
    await server.stop()
    await collector[Symbol.asyncDispose]()
    receiver.closeAllConnections()
    receiver.close()
    folder[Symbol.dispose]()
  })

  const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

  it("exports every metric before anything happens, to a collector and to Prometheus", async () => {
    await eventually("a sample", () => collector.points("process.memory.usage").length > 0 || undefined)
    const exported = new Map(collector.exports.at(-1)?.map(({ name, unit }) => [name, unit]))
    for (const { name, unit } of allFacts) expect([name, exported.get(name)]).toEqual([name, unit])
    const scraped = await scrape()
    for (const facts of allFacts) expect(scraped).toMatch(new RegExp(`^# TYPE ${prometheusName(facts)} `, "m"))
    expect(collector.services).toEqual(new Set(["parley"]))
  })

  it("a chat with retrieval is one trace below its caller's span, and its access line names it with its credits", async () => {
    await askAboutLease(server.url)
    const spans = await eventually("the end of the trace", () => {
      const found = collector.spans.filter(({ traceId }) => traceId === TRACE)
      return found.some(({ name }) => name === "credits.settle") && found.some(({ name }) => name === "POST /api/chat")
        ? new Map(found.map((span) => [span.name.replace(/^chat .*/, "chat"), span]))
        : undefined
    })
    expect([...spans.keys()]).toEqual(
      expect.arrayContaining(["POST /api/chat", "documents.search", "credits.reserve", "chat", "credits.settle"])
    )
    const parentOf = (name: string): string | undefined =>
      [...spans.values()].find(({ spanId }) => spanId === spans.get(name)?.parentSpanId)?.name
    expect(spans.get("POST /api/chat")?.parentSpanId).toBe(CALLER)
    expect(["documents.search", "credits.reserve", "chat", "credits.settle"].map(parentOf)).not.toContain(undefined)
    expect(attributesOf(spans.get("chat")!)).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "offline",
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number)
    })
    const charged = attributesOf(spans.get("credits.settle")!)["parley.credits.charged"]
    const line = server.said.stdout.split("\n").find((each) => each.includes("POST /api/chat")) ?? "{}"
    expect(JSON.parse(line)).toMatchObject({ traceId: TRACE, credits: charged, status: 200 })
    expect(charged).toBeGreaterThan(0)
    expect(JSON.stringify(collector.spans)).not.toContain(QUESTION)
  })

  it("spans of requests have the status of the response, and only failures of the server are errors", async () => {
    const paths = ["/api/chats", "/api/cron/reset-credits"]
    const answers = await Promise.all(paths.map((path) => fetch(`${server.url}${path}`)))
    expect(answers.map(({ status }) => status)).toEqual([401, 503])
    const names = [...paths.map((path) => `GET ${path}`), "POST /api/chat"]
    const spans = await eventually("their spans", () => {
      const found = names.flatMap((name) => collector.spans.find((span) => span.name === name) ?? [])
      return found.length === names.length ? found : undefined
    })
    const ends = spans.map((span) => [attributesOf(span)["http.response.status_code"], span.status.code === 2])
    expect(ends).toEqual([
      [401, false],
      [503, true],
      [200, false]
    ])
  })

  it("the job of an upload, the events of both requests and their webhooks continue the trace", async () => {
    await eventually("both webhooks", () => webhooks.size === 2 || undefined)
    const ids = await eventually("the spans of their deliveries", () => {
      const found = collector.spans.filter(({ name }) => /^deliver (?:document\.ready|reply\.finished)$/.test(name))
      return found.length >= 2 ? new Map(found.map((span) => [span.name.slice("deliver ".length), span])) : undefined
    })
    for (const [type, { parentSpanId, spanId, traceId }] of ids) {
      expect([type, traceId, webhooks.get(type)]).toEqual([type, TRACE, `00-${TRACE}-${spanId}-01`])
      const parent = collector.spans.find((span) => span.spanId === parentSpanId)
      expect(parent?.name).toBe(type === "document.ready" ? "processDocument" : "credits.settle")
    }
    const job = collector.spans.find(({ name }) => name.startsWith("job "))
    expect(job?.traceId).toBe(TRACE)
  })

  it("what was held is what was charged and given back, in credits", async () => {
    const total = (name: string) =>
      collector.points(name).reduce((sum, { asDouble, asInt }) => sum + Number(asDouble ?? asInt), 0)
    await eventually("the credits of the chat", () => total("parley.credits.settled") > settledBefore || undefined)
    const open = total("parley.credits.reserved") - total("parley.credits.settled") - total("parley.credits.released")
    expect(open).toBe(openBefore)
    const scraped = await scrape()
    expect(scraped).toMatch(/^parley_credits_settled_total [1-9]/m)
    expect(scraped).toMatch(/^http_server_request_duration_seconds_count\{.*http_route="\/api\/chat".*\} [1-9]/m)
    expect(scraped).not.toContain("ann@example.com")
  })
})

it("contents of conversations are traced if an operator asks for them", async () => {
  using folder = temporaryFolder()
  await using collector = await Collector.start()
  const server = await serveHere(folder.path, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true"
  })
  await askAboutLease(server.url)
  await server.stop()
  const call = collector.spans.find(({ name }) => name.startsWith("chat "))
  expect(attributesOf(call!)["gen_ai.input.messages"]).toContain(QUESTION)
  expect(attributesOf(call!)["gen_ai.output.messages"]).toContain("assistant")
  expect(collector.exports).toEqual([])
})

it("a collector receives what a process counted until it stopped", async () => {
  using folder = temporaryFolder()
  await using collector = await Collector.start()
  const before = instruments.settled.read()
  const server = await serveHere(folder.path, {
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
    OTEL_METRIC_EXPORT_INTERVAL: "3600000"
  })
  await askAboutLease(server.url)
  await server.stop()
  const [settled] = collector.points("parley.credits.settled")
  expect(settled?.asDouble).toBe(instruments.settled.read())
  expect(settled?.asDouble).toBeGreaterThan(before)
})

it("without a collector and a port nothing is exported, and an access line still names the caller's trace", async () => {
  using folder = temporaryFolder()
  const server = await serveHere(folder.path, { PARLEY_LOG_REQUESTS: "on" })
  await askAboutLease(server.url)
  await server.stop()
  const line = server.said.stdout.split("\n").find((each) => each.includes("POST /api/chat")) ?? "{}"
  expect(JSON.parse(line)).toMatchObject({ traceId: TRACE, credits: expect.any(Number) })
  expect(server.said.stderr).not.toContain("Metrics are served")
})
