import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { stagedStandIn, subscribed } from "./stagedStandIn.ts"

const encoder = new TextEncoder()

/** A webhook that records its deliveries, and accepts them by default. */
const webhook = () => {
  const bodies: Array<{ readonly id: string; readonly signature: string; readonly text: string }> = []
  const answers = { status: 200 }
  const receive: typeof fetch = (_input, init) => {
    const text = String(init?.body)
    const signature = new Headers(init?.headers).get("stripe-signature") ?? ""
    bodies.push({ id: (JSON.parse(text) as { id: string }).id, signature, text })
    return Promise.resolve(new Response(null, { status: answers.status }))
  }
  return { bodies, answers, receive, target: { url: "http://127.0.0.1:3000/api/webhooks/payment", secret: "whsec_1" } }
}

describe("the stand-in's events", () => {
  it("arrive in order, signed so that the gateway takes them", async () => {
    const { bodies, receive, target } = webhook()
    using staged = stagedStandIn({ webhook: target, fetch: receive })
    await subscribed(staged)
    await staged.standIn.deliveries.idle()
    expect(bodies.map(({ id }) => id)).toEqual(staged.standIn.events.map(({ id }) => id))
    expect(staged.standIn.deliveries.pending).toEqual([])
    for (const { signature, text } of bodies) {
      const taken = staged.gateway.verify({ payload: encoder.encode(text), signature, receivedAt: Date.now() })
      expect((await Effect.runPromise(taken)).payload).toBe(text)
    }
  })

  it("stay until they are taken", async () => {
    const { answers, bodies, receive, target } = webhook()
    using staged = stagedStandIn({ webhook: target, fetch: receive })
    answers.status = 500
    await subscribed(staged)
    await staged.standIn.deliveries.idle()
    const happened = staged.standIn.events.length
    expect(staged.standIn.deliveries.pending).toHaveLength(happened)
    expect(await staged.standIn.deliveries.flush()).toBe(false)
    answers.status = 200
    expect(await staged.standIn.deliveries.flush()).toBe(true)
    expect(bodies).toHaveLength(3 * happened)
  })

  it("go late, twice and out of order where they are held", async () => {
    const { bodies, receive, target } = webhook()
    using staged = stagedStandIn({ webhook: target, fetch: receive })
    staged.standIn.deliveries.hold = true
    await subscribed(staged)
    expect(bodies).toEqual([])
    const ids = staged.standIn.deliveries.pending.map(({ id }) => id).toReversed()
    for (const id of [...ids, ...ids]) expect(await staged.standIn.deliveries.send(id)).toBe(true)
    expect(bodies.map(({ id }) => id)).toEqual([...ids, ...ids])
    expect(new Set(bodies.map(({ text }) => text)).size).toBe(ids.length)
  })
})
