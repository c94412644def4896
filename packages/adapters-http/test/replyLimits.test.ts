import { Stream } from "effect"
import { expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { completed, text } from "./support/ScriptedModel.ts"
import { startServer } from "./support/startServer.ts"

const hello = { messages: [{ role: "user", content: "Hello" }] }

test("readers who leave 20 times a minute before the first word are answered 429 with Retry-After, and others are not", async () => {
  const server = await startServer()
  try {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const calling = server.model.nextCall()
      const leaving = new AbortController()
      const responding = server.fetch("/api/chat", {
        user: "ann",
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(hello),
        signal: leaving.signal
      })
      responding.catch(() => undefined)
      const call = await calling
      leaving.abort()
      await call.left
    }
    server.model.answer = () => Stream.make(text("Hello."), completed)
    // The last departure is counted once its hold is released.
    await expect.poll(async () => (await server.parley.credits.balance("ann")).held).toBe(0)
    const refused = await server.post("/api/chat", hello, "ann")
    const seconds = Number(refused.headers.get("retry-after"))
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(await expectProblem(refused, 429, "too_many_abandoned_tries")).toMatchObject({ perMinute: 20 })
    expect(await (await server.post("/api/chat", hello, "ben")).text()).toBe("Hello.")
    expect(await server.parley.credits.balance("ann")).toMatchObject({ available: 100, held: 0 })
  } finally {
    await server.close()
  }
})

test("one reply more than the tier writes at once is 429, and holds nothing", async () => {
  const server = await startServer({ parley: { config: { tiers: { free: { maxConcurrentReplies: 1 } } } } })
  try {
    const calling = server.model.nextCall()
    const responding = server.post("/api/chat", hello, "ann")
    const call = await calling
    call.say("Hello")
    const response = await responding
    const refused = await server.post("/api/chat", hello, "ann")
    expect(refused.headers.get("retry-after")).toBe("2")
    expect(await expectProblem(refused, 429, "too_many_replies")).toMatchObject({ tier: "free", limit: 1 })
    call.complete()
    expect(await response.text()).toBe("Hello")
    server.model.answer = () => Stream.make(text("Again."), completed)
    expect(await (await server.post("/api/chat", hello, "ann")).text()).toBe("Again.")
  } finally {
    await server.close()
  }
})
