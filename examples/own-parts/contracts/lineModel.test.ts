import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { defaultCatalog, type Model } from "@parley/core"
import { chatModelContract, type ModelScenario, type StagedChatModel } from "@parley/core/testing"
import { Effect } from "effect"
import { lineModel } from "../src/lineModel.ts"

const STATUSES: Readonly<Record<string, number>> = {
  misconfigured: 401,
  refused: 422,
  "rate-limited": 429,
  unavailable: 503
}

/** The vendor: it plays the scenario in each reply, and counts. */
class Vendor {
  produced = 0
  running = 0
  readonly #scenario: ModelScenario

  constructor(scenario: ModelScenario) {
    this.#scenario = scenario
  }

  async reply(maxOutputTokens: number, response: ServerResponse): Promise<void> {
    const scenario = this.#scenario
    this.running += 1
    const closed = new Promise((resolve) => response.once("close", resolve))
    void closed.then(() => (this.running -= 1))
    if (scenario._tag === "fail" && scenario.afterDeltas === 0) {
      return void response.writeHead(STATUSES[scenario.reason] ?? 500).end()
    }
    response.writeHead(200).flushHeaders()
    const deltas = scenario._tag === "speak" ? scenario.deltas : scenario._tag === "empty" ? 0 : scenario.afterDeltas
    const sent = Math.min(deltas, maxOutputTokens)
    for (let number = 1; number <= sent; number++) {
      if (response.destroyed) return
      this.produced += 1
      const isTaken = response.write(`${JSON.stringify({ text: number === 1 ? "1" : ` ${number}` })}\n`)
      if (!isTaken) await Promise.race([closed, new Promise((resolve) => response.once("drain", resolve))])
    }
    const end = { end: sent < deltas ? "length" : "completed", input: 10, output: sent }
    if (scenario._tag === "speak" || scenario._tag === "empty") response.end(`${JSON.stringify(end)}\n`)
    else if (scenario._tag === "fail") response.end(`${JSON.stringify({ error: scenario.reason })}\n`)
    else if (scenario._tag === "cut-off") response.end()
  }
}

const staged = (scenario: ModelScenario) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const vendor = new Vendor(scenario)
      const server = createServer(async (request, response) => {
        const chunks = await request.toArray()
        const { maxOutputTokens } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly maxOutputTokens: number }
        await vendor.reply(maxOutputTokens, response)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, vendor }
    }),
    ({ server }) => Effect.sync(() => (server.closeAllConnections(), server.close()))
  ).pipe(
    Effect.map(({ server, vendor }): StagedChatModel => ({
      chatModel: lineModel(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      model: defaultCatalog.models[0] as Model,
      produced: () => vendor.produced,
      running: () => vendor.running
    }))
  )

chatModelContract("lines of JSON", {
  stage: staged,
  failuresBeforeFirst: ["misconfigured", "refused", "rate-limited", "unavailable"],
  failuresWithin: ["refused", "rate-limited", "unavailable"],
  endlessDeltas: 1_000_000
})
