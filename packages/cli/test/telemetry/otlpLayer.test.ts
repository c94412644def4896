import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { otlpLayer } from "../../src/telemetry/otlpLayer.ts"
import { Collector } from "../processes/Collector.ts"
import { eventually } from "../processes/ParleyProcess.ts"

const SECRET = "ann@example.com owes 12 credits"

const tracesTo = (url: string, timeoutMs = 10_000) =>
  otlpLayer(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_SERVICE_NAME: "parley",
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_BSP_SCHEDULE_DELAY: "50"
    },
    timeoutMs
  )

it("a span that fails or dies names the failure and its codes, and contains no text of it and of its causes", async () => {
  await using collector = await Collector.start()
  const refusal = Object.assign(new Error(SECRET), { code: "ECONNREFUSED" })
  const failing: ReadonlyArray<Effect.Effect<never, unknown>> = [
    Effect.fail(new StorageFailed({ operation: "Ledger.run", retryable: true, cause: refusal })),
    Effect.fail(SECRET),
    Effect.die(new TypeError(SECRET, { cause: refusal }))
  ]
  const work = Effect.forEach(failing, (each, index) => Effect.exit(Effect.withSpan(each, `work ${index}`)))
  await Effect.runPromise(Effect.provide(work, tracesTo(collector.url)))
  await eventually("the spans", () => collector.spans.length === failing.length || undefined)
  const sent = JSON.stringify(collector.spans)
  for (const text of [SECRET, "otlpLayer.test.ts"]) expect(sent).not.toContain(text)
  expect(collector.spans.map((span) => [span.name, span.status])).toEqual([
    ["work 0", { code: 2, message: "Ledger.run ECONNREFUSED" }],
    ["work 1", { code: 2, message: "" }],
    ["work 2", { code: 2, message: "ECONNREFUSED" }]
  ])
  for (const name of ["StorageFailed", "TypeError"]) expect(sent).toContain(name)
})

it("a request that the collector does not answer in time is given up, so that spans do not gather behind it", async () => {
  const waiting: Array<ServerResponse> = []
  const left: Array<ServerResponse> = []
  const silent = createServer((request, response) => {
    waiting.push(response)
    response.once("close", () => left.push(response))
    // Headers without the end of the body count as no answer.
    if (waiting.length > 1) response.writeHead(200).flushHeaders()
    request.resume()
  }).listen(0, "127.0.0.1")
  await once(silent, "listening")
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const work = Effect.gen(function* () {
    yield* Effect.withSpan(Effect.void, "work")
    yield* Effect.promise(() => eventually("two requests to be given up", () => left.length >= 2 || undefined, 10_000))
  })
  await Effect.runPromise(Effect.provide(work, tracesTo(url, 200)))
  silent.closeAllConnections()
  silent.close()
})
