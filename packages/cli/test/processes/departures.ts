import { request } from "node:http"
import { expect } from "vitest"
import type { FakeOpenAi } from "../../../../test/support/FakeOpenAi.ts"
import { eventually } from "./ParleyProcess.ts"
import type { Visitor } from "./RunningServer.ts"

interface Departures {
  readonly url: string
  readonly visitor: Visitor
  readonly vendor: FakeOpenAi
  readonly count: number
}

/**
 * Leaves this many replies of a silent vendor; returns the time until the vendor's request was aborted, for each, in
 * milliseconds.
 */
export const departures = async ({ count, url, vendor, visitor }: Departures): Promise<ReadonlyArray<number>> => {
  const waits: Array<number> = []
  const before = vendor.calls.length
  for (let departure = 0; departure < count; departure += 1) {
    const body = JSON.stringify({ messages: [{ role: "user", content: "Then silence" }] })
    const headers = { cookie: visitor.cookie, "content-type": "application/json" }
    const sent = request(`${url}/api/chat`, { method: "POST", headers, agent: false })
    const status = await new Promise<number | undefined>((resolve, reject) => {
      sent.once("error", reject)
      sent.once("response", (response) => response.once("data", () => resolve(response.statusCode)))
      sent.end(body)
    })
    expect(status).toBe(200)
    sent.on("error", () => undefined)
    const leftAt = performance.now()
    sent.destroy()
    const heardAt = await eventually("the vendor to hear of it", () => vendor.calls[before + departure]?.leftAt)
    waits.push(heardAt - leftAt)
  }
  return waits
}
