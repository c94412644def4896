import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { json, type Script, scriptedServer } from "../../../test/support/ScriptedServer.ts"
import { makeStripePayments } from "../src/index.ts"

const LIMITS = { requestMs: 60_000, totalMs: 20_000, retries: 0 }

const staged = async (script: Script) => {
  const server = await scriptedServer(script)
  const gateway = makeStripePayments({
    apiKey: Redacted.make("sk_test_1"),
    webhookSecret: Redacted.make("whsec_1"),
    apiUrl: server.url,
    limits: LIMITS
  })
  const customerOf = (userId: string) =>
    gateway.createCustomer({ userId, email: undefined, idempotencyKey: `customer:${userId}` })
  return { ...server, customerOf }
}

const tick = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
const run = <A, E>(work: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(work, TestClock.layer()))

it("a provider that was silent for a whole call is not asked until it answers: calls fail at once, with the time to wait", async () => {
  let answers = false
  await using server = await staged((_, response) => {
    if (answers) json(response, 200, { id: "cus_1" }, { "request-id": "req_1" })
  })
  const { customerOf, seen } = server
  const asked = (userId: string) => seen.some(({ form }) => form.get("metadata[parley_user]") === userId)
  await run(
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(Effect.flip(customerOf("ann")))
      while (seen.length === 0) yield* tick
      yield* TestClock.adjust("20 seconds")
      expect(yield* Fiber.join(first)).toMatchObject({ _tag: "PaymentUnavailable" })
      const second = yield* Effect.forkChild(Effect.flip(customerOf("bob")))
      while (seen.length === 1) yield* tick
      yield* TestClock.adjust("500 millis")
      for (let turn = 0; turn < 100 && second.pollUnsafe() === undefined; turn++) yield* tick
      expect(second.pollUnsafe()).toBeDefined()
      expect(yield* Fiber.join(second)).toMatchObject({ _tag: "PaymentUnavailable", retryAfterMs: 5_000 })
      expect(asked("bob")).toBe(false)
      answers = true
      yield* TestClock.adjust("5 seconds")
      expect(yield* customerOf("bob")).toEqual({ customerId: "cus_1" })
    })
  )
})

it("a provider that refuses or breaks connections answers, however often", async () => {
  await using server = await staged((_, response, { count }) =>
    count % 2 === 0 ? response.destroy() : json(response, 500, { error: { type: "api_error" } })
  )
  await run(
    Effect.gen(function* () {
      for (let call = 0; call < 6; call++) {
        expect(yield* Effect.flip(server.customerOf("ann"))).not.toHaveProperty("retryAfterMs")
        yield* TestClock.adjust("30 seconds")
      }
    })
  )
  expect(server.seen).toHaveLength(6)
})
