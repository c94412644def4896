import { chatModelContract, type ModelScenario } from "@parley/core/testing"
import type { ModelFailure } from "@parley/core/adapter"
import { Effect } from "effect"
import { FakeVendor, type Play, type VendorConnection } from "./FakeVendor.ts"
import { chunked, chunkedHead, head, lastChunk, type Wire, wires } from "./wires.ts"

/** The form of a failure before the first delta: a status and an error body. */
const statusOf: Partial<Record<ModelFailure, string>> = {
  "rate-limited": "429 Too Many Requests",
  unavailable: "503 Service Unavailable",
  refused: "400 Bad Request",
  "bad-answer": "200 OK"
}

const within = { "rate-limited": "rate-limited", unavailable: "overloaded", refused: "refused" } as const

const answerFailing = async (wire: Wire, connection: VendorConnection, reason: ModelFailure): Promise<void> => {
  const type = reason === "bad-answer" ? "text/html" : "application/json"
  const body = reason === "bad-answer" ? "<html>Welcome</html>" : wire.errorBody("some_error")
  await connection.write(head(statusOf[reason], { "content-type": type }) + body)
  connection.end()
}

const playing =
  (wire: Wire, scenario: ModelScenario, made: () => void): Play =>
  async (connection, request) => {
    if (scenario._tag === "fail" && scenario.afterDeltas === 0) {
      return answerFailing(wire, connection, scenario.reason)
    }
    await connection.write(chunkedHead + chunked(wire.start))
    const wanted = scenario._tag === "speak" ? scenario.deltas : scenario._tag === "empty" ? 0 : scenario.afterDeltas
    const limit = Math.min(wanted, wire.limitOf(request.body))
    for (let index = 0; index < limit; index++) {
      await connection.write(chunked(wire.delta(index === 0 ? "1" : ` ${index + 1}`)))
      made()
    }
    if (scenario._tag === "stall") return connection.gone
    if (scenario._tag === "cut-off") return connection.end()
    if (scenario._tag === "fail") {
      await connection.write(chunked(wire.failure(within[scenario.reason as keyof typeof within])))
      return connection.gone
    }
    const reason = limit < wanted ? "length" : "completed"
    await connection.write(chunked(wire.end(reason, { input: 9, output: limit })) + lastChunk)
    connection.end()
  }

for (const wire of wires) {
  chatModelContract(wire.name, {
    stage: (scenario) =>
      Effect.gen(function* () {
        let produced = 0
        const vendor = yield* Effect.acquireRelease(
          Effect.sync(() => new FakeVendor(playing(wire, scenario, () => (produced += 1)))),
          (server) => Effect.promise(() => server[Symbol.asyncDispose]())
        )
        const url = yield* Effect.promise(() => vendor.listen())
        return {
          chatModel: wire.connect(url),
          model: wire.model,
          produced: () => produced,
          running: () => vendor.working
        }
      }),
    failuresBeforeFirst: ["rate-limited", "unavailable", "refused", "bad-answer"],
    failuresWithin: ["rate-limited", "unavailable", "refused"],
    tellsInputEarly: wire.name === "anthropic",
    endlessDeltas: 1_000_000
  })
}
