import type { Model } from "@parley/core"
import type { ModelFailure } from "@parley/core/adapter"
import { defaultCatalog } from "@parley/core"
import { chatModelContract, type ModelScenario } from "@parley/core/testing"
import { MockLanguageModelV3, MockLanguageModelV4 } from "ai/test"
import { Effect } from "effect"
import { type AiSdkModel, fromAiSdk } from "../../src/aiSdk/index.ts"
import { FakeVendor, type Play, type VendorConnection } from "../vendor/FakeVendor.ts"
import { chunked, chunkedHead, head, lastChunk } from "../vendor/wires.ts"
import { type Provider, providers } from "./providers.ts"

const model = defaultCatalog.models[0] as Model

const statusOf: Partial<Record<ModelFailure, string>> = {
  "rate-limited": "429 Too Many Requests",
  unavailable: "503 Service Unavailable",
  refused: "400 Bad Request",
  "bad-answer": "200 OK"
}

const answerFailing = async (provider: Provider, connection: VendorConnection, reason: ModelFailure): Promise<void> => {
  const type = reason === "bad-answer" ? "text/html" : "application/json"
  const body = reason === "bad-answer" ? "<html>Welcome</html>" : provider.errorBody
  await connection.write(head(statusOf[reason], { "content-type": type }) + body)
  connection.end()
}

const playing =
  (provider: Provider, scenario: ModelScenario, made: () => void): Play =>
  async (connection, request) => {
    if (scenario._tag === "fail" && scenario.afterDeltas === 0) {
      return answerFailing(provider, connection, scenario.reason)
    }
    await connection.write(chunkedHead)
    const wanted = scenario._tag === "speak" ? scenario.deltas : scenario._tag === "empty" ? 0 : scenario.afterDeltas
    const limit = Math.min(wanted, provider.limitOf(request.body))
    for (let index = 0; index < limit; index++) {
      await connection.write(chunked(provider.delta(index === 0 ? "1" : ` ${index + 1}`)))
      made()
    }
    if (scenario._tag === "stall") return connection.gone
    if (scenario._tag === "cut-off") return connection.end()
    if (scenario._tag === "fail") {
      await connection.write(
        chunked(provider.failure?.(scenario.reason === "rate-limited" ? "rate-limited" : "overloaded") ?? "")
      )
      return connection.gone
    }
    const reason = limit < wanted ? "length" : "completed"
    await connection.write(chunked(provider.end(reason, { input: 9, output: limit })) + lastChunk)
    connection.end()
  }

for (const provider of providers) {
  chatModelContract(`${provider.name} of the AI SDK`, {
    stage: (scenario) =>
      Effect.gen(function* () {
        let produced = 0
        const vendor = yield* Effect.acquireRelease(
          Effect.sync(() => new FakeVendor(playing(provider, scenario, () => (produced += 1)))),
          (server) => Effect.promise(() => server[Symbol.asyncDispose]())
        )
        const url = yield* Effect.promise(() => vendor.listen())
        return {
          chatModel: provider.connect(url),
          model,
          produced: () => produced,
          running: () => vendor.working
        }
      }),
    failuresBeforeFirst: ["rate-limited", "unavailable", "refused", "bad-answer"],
    failuresWithin: provider.failure === undefined ? [] : ["rate-limited", "unavailable"],
    endlessDeltas: 1_000_000
  })
}

const usage = (output: number) => ({
  inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 }
})

interface Asked {
  readonly abortSignal?: AbortSignal | undefined
  readonly maxOutputTokens?: number | undefined
}

/** The parts of the mock model of the AI SDK, and a record of its work. */
const mockStream = (
  scenario: ModelScenario,
  { abortSignal, maxOutputTokens = Infinity }: Asked,
  record: { produced: number; running: number }
): ReadableStream<never> => {
  const wanted = scenario._tag === "speak" ? scenario.deltas : scenario._tag === "empty" ? 0 : scenario.afterDeltas
  const limit = Math.min(wanted, maxOutputTokens)
  let made = 0
  let isOver = false
  const leave = () => {
    if (!isOver) record.running -= 1
    isOver = true
  }
  record.running += 1
  abortSignal?.addEventListener("abort", leave)
  return new ReadableStream<unknown>({
    pull: (controller) => {
      if (made < limit) {
        controller.enqueue({ type: "text-delta", id: "0", delta: made === 0 ? "1" : ` ${made + 1}` })
        made += 1
        record.produced += 1
        return undefined
      }
      if (scenario._tag === "stall") return new Promise<void>(() => undefined)
      if (scenario._tag === "fail") controller.enqueue({ type: "error", error: failures[scenario.reason] })
      else if (scenario._tag !== "cut-off") {
        const unified = limit < wanted ? "length" : "stop"
        controller.enqueue({ type: "finish", finishReason: { unified, raw: unified }, usage: usage(limit) })
      }
      leave()
      controller.close()
      return undefined
    },
    cancel: leave
  }) as ReadableStream<never>
}

const failures: Partial<Record<ModelFailure, unknown>> = {
  "rate-limited": { type: "rate_limit_error", message: "vendor text" },
  unavailable: { type: "overloaded_error", message: "vendor text" },
  refused: { type: "content_filter", message: "vendor text" }
}

for (const Mock of [MockLanguageModelV3, MockLanguageModelV4]) {
  chatModelContract(`${Mock.name} of the AI SDK`, {
    stage: (scenario) =>
      Effect.sync(() => {
        const record = { produced: 0, running: 0 }
        const mock: AiSdkModel = new Mock({
          doStream: (options: Asked) => Promise.resolve({ stream: mockStream(scenario, options, record) })
        })
        return {
          chatModel: fromAiSdk(mock, { retry: { retries: 0 } }),
          model,
          produced: () => record.produced,
          running: () => record.running
        }
      }),
    failuresBeforeFirst: ["rate-limited", "unavailable", "refused"],
    failuresWithin: ["rate-limited", "unavailable", "refused"],
    endlessDeltas: 1_000_000
  })
}
