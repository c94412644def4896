import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { InMemoryCallLimiter } from "../../src/limits/InMemoryCallLimiter.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { type VisitorCall, VisitorGate } from "../../src/widget/VisitorGate.ts"

const widget = {
  perIpPerMinute: 4,
  perConversationPerMinute: 2,
  perBotPerMinute: 9,
  readsPerIpPerMinute: 3,
  streamsPerIp: 2,
  streamsPerBot: 3,
  maxMessageCharacters: 5
}
const world = <A, E>(use: Effect.Effect<A, E, VisitorGate>) =>
  Effect.runPromise(
    use.pipe(
      Effect.provide(
        VisitorGate.layer.pipe(
          Layer.provide(Layer.merge(InMemoryCallLimiter.layer, Layer.succeed(Catalog, makeCatalog({ widget })))),
          Layer.provideMerge(TestClock.layer())
        )
      )
    )
  )

const from = (call: Partial<VisitorCall> = {}): VisitorCall => ({
  address: "192.0.2.1",
  botId: "bot",
  conversationId: undefined,
  ...call
})
const enter = (call: Partial<VisitorCall> = {}) => VisitorGate.use((gate) => gate.enter(from(call)))
const pass = (call: Partial<VisitorCall> = {}) => Effect.scoped(enter(call))
const times = (count: number, call: Partial<VisitorCall> = {}) => Effect.repeat(pass(call), { times: count - 1 })
const stay = (call: Partial<VisitorCall> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Scope.provide(enter(call), scope)
    return Scope.close(scope, Exit.void)
  })

describe("The gate of visitors", () => {
  it("bounds an address, however it is written, and says so with a code of its own", () =>
    world(
      Effect.gen(function* () {
        yield* times(3)
        yield* pass({ address: "::ffff:192.0.2.1" })
        const refusal = yield* Effect.flip(pass({ address: "192.0.2.1:4321" }))
        expect(refusal).toMatchObject({
          code: "visitor_rate_limited",
          retryAfterMs: 60_000,
          rateLimit: { policy: "ip", quota: 4, windowMs: 60_000, resetMs: 60_000 }
        })
        yield* pass({ address: "192.0.2.2" })
        yield* TestClock.adjust("1 minute")
        yield* pass()
      })
    ))

  it("bounds a network of IPv6, whichever of its addresses calls", () =>
    world(
      Effect.gen(function* () {
        for (let host = 1; host <= 4; host += 1) yield* pass({ address: `2001:db8:0:7::${host}` })
        expect(yield* Effect.flip(pass({ address: "2001:db8:0:7:ffff::1" }))).toMatchObject({
          code: "visitor_rate_limited"
        })
        yield* pass({ address: "2001:db8:0:8::1" })
      })
    ))

  it("bounds all whose address is not known together", () =>
    world(
      Effect.gen(function* () {
        for (const address of [undefined, "", "unknown", "made up"]) yield* pass({ address })
        expect(yield* Effect.flip(pass({ address: "another" }))).toMatchObject({ code: "visitor_rate_limited" })
      })
    ))

  it("bounds a conversation and a bot, for any caller", () =>
    world(
      Effect.gen(function* () {
        const conversationId = "conversation"
        yield* pass({ conversationId })
        yield* pass({ conversationId, address: "192.0.2.2" })
        expect(yield* Effect.flip(pass({ conversationId, address: "192.0.2.3" }))).toMatchObject({
          code: "conversation_rate_limited",
          rateLimit: { policy: "conversation", quota: 2 }
        })
        for (let visitor = 0; visitor < 7; visitor += 1) yield* pass({ address: `198.51.100.${visitor}` })
        expect(yield* Effect.flip(pass({ address: "192.0.2.9" }))).toMatchObject({
          code: "bot_rate_limited",
          rateLimit: { policy: "bot", quota: 9 }
        })
        yield* pass({ address: "192.0.2.9", botId: "another" })
      })
    ))

  it("serves ordinary visitors beside an abuser", () =>
    world(
      Effect.gen(function* () {
        let served = 0
        for (let round = 0; round < 5; round += 1) {
          yield* Effect.repeat(Effect.ignore(pass({ address: "203.0.113.66" })), { times: 99 })
          yield* pass({ address: `192.0.2.${round}` })
          served += 1
        }
        expect(served).toBe(5)
      })
    ))

  it("bounds the replies that are written at once to an address and by a bot", () =>
    world(
      Effect.gen(function* () {
        const leaves = [yield* stay(), yield* stay()]
        expect(yield* Effect.flip(pass())).toMatchObject({
          code: "too_many_visitor_streams",
          retryAfterMs: 5_000,
          rateLimit: { policy: "ip-streams", quota: 2 }
        })
        leaves.push(yield* stay({ address: "192.0.2.2" }))
        expect(yield* Effect.flip(pass({ address: "192.0.2.3" }))).toMatchObject({
          code: "too_many_bot_streams",
          rateLimit: { policy: "bot-streams", quota: 3 }
        })
        yield* Effect.all(leaves)
        yield* pass({ address: "192.0.2.3" })
      })
    ))

  it("takes messages of as many Unicode characters as there may be", () =>
    world(
      Effect.gen(function* () {
        const check = (message: string) => VisitorGate.use((gate) => gate.checkMessage(message))
        yield* check("🙂".repeat(5))
        for (const message of ["123456", "🙂".repeat(6)]) {
          expect(yield* Effect.flip(check(message))).toMatchObject({ code: "message_too_long", limit: 5 })
        }
      })
    ))

  it("bounds how often an address loads conversations, apart from what it sends", () =>
    world(
      Effect.gen(function* () {
        const read = (address: string) => VisitorGate.use((gate) => gate.enterReading(address))
        yield* times(4)
        for (let time = 0; time < 3; time += 1) yield* read("192.0.2.1")
        expect(yield* Effect.flip(read("::ffff:192.0.2.1"))).toMatchObject({
          code: "visitor_reads_limited",
          rateLimit: { policy: "ip-reads", quota: 3, windowMs: 60_000, resetMs: 60_000 }
        })
        yield* read("192.0.2.2")
        yield* TestClock.adjust("1 minute")
        yield* read("192.0.2.1")
      })
    ))
})
