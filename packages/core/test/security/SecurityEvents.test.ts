import { it } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { expect } from "vitest"
import { DeliveryFailed, type EventSink, EventSinks } from "../../src/events/EventSink.ts"
import { DeliveryRecords, Outbox } from "../../src/events/Outbox.ts"
import type { SecurityEvent } from "../../src/events/ParleyEvent.ts"
import { type RequestFacts, RequestOrigin } from "../../src/identity/RequestOrigin.ts"
import { ServiceKeys } from "../../src/keys/ServiceKeys.ts"
import { SecurityEvents } from "../../src/security/SecurityEvents.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { claimed, subscribed } from "../../src/testing/events/outboxFixtures.ts"

interface Line {
  readonly level: string
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

const origin: RequestFacts = {
  address: "203.0.113.7",
  userAgent: "curl/8",
  route: "GET /api/chat",
  requestId: "request-1"
}

/** The service over stores in memory, with the lines that it logs. */
const world = (sinks: ReadonlyArray<EventSink> = []) => {
  const lines: Array<Line> = []
  const logger = Logger.map(Logger.formatJson, (line) => void lines.push(JSON.parse(line) as Line))
  const layer = SecurityEvents.layer.pipe(
    Layer.provideMerge(inMemoryStorageLayer),
    Layer.provide(Layer.succeed(EventSinks, sinks)),
    Layer.provideMerge(Logger.layer([logger]))
  )
  return { lines, layer }
}

const from = (facts: Partial<RequestFacts>) => Effect.provideService(RequestOrigin, { ...origin, ...facts })

const forged = { outcome: "unauthorized", problem: "refused", userId: undefined, suspicious: true }

it.effect("an event is one line of the log and one delivery, with who, from where, what and the outcome", () => {
  const { layer, lines } = world()
  return Effect.gen(function* () {
    const security = yield* SecurityEvents
    const destination = yield* subscribed("security")
    yield* from({})(security.record({ event: "signed_out", userId: "ann" }))
    yield* security.record({ event: "secrets_rotated" })
    yield* Effect.yieldNow
    const facts = { event: "signed_out", userId: "ann", outcome: "ok" }
    const request = { address: "203.0.113.7", userAgent: "curl/8", route: "GET /api/chat", requestId: "request-1" }
    expect(lines).toMatchObject([
      { level: "INFO", message: "A security event.", annotations: { ...facts, ...request } },
      { annotations: { event: "secrets_rotated", outcome: "ok" } }
    ])
    const told = yield* claimed(destination)
    expect(told.map(({ data }) => data)).toEqual([
      { event: "secrets_rotated", outcome: "ok" },
      { ...facts, ...request }
    ])
  }).pipe(Effect.provide(layer))
})

it.effect("a person is reported as signed in once for each address, and again after signing out", () => {
  const { layer, lines } = world()
  return Effect.gen(function* () {
    const security = yield* SecurityEvents
    const home = from({ address: "203.0.113.7" })
    for (let time = 0; time < 3; time++) yield* home(security.see("ann"))
    yield* from({ address: "198.51.100.1" })(security.see("ann"))
    yield* home(security.see("bob"))
    yield* home(security.record({ event: "signed_out", userId: "ann" }))
    yield* home(security.see("ann"))
    expect(lines.map(({ annotations }) => `${annotations["event"]} ${annotations["userId"]}`)).toEqual([
      "signed_in ann",
      "signed_in ann",
      "signed_in bob",
      "signed_out ann",
      "signed_in ann"
    ])
  }).pipe(Effect.provide(layer))
})

it.effect("a person who changes the address within an IPv6 network with every request makes no event each time", () => {
  const { layer, lines } = world()
  return Effect.gen(function* () {
    const security = yield* SecurityEvents
    const from64 = (host: number) => from({ address: `2001:db8:1:2::${host.toString(16)}` })
    for (let host = 1; host <= 100; host++) yield* from64(host)(security.see("ann"))
    yield* from64(7)(security.record({ event: "signed_out", userId: "ann" }))
    yield* from64(8)(security.see("ann"))
    yield* from({ address: "2001:db8:1:3::1" })(security.see("ann"))
    expect(lines.map(({ annotations }) => `${annotations["event"]} ${annotations["address"]}`)).toEqual([
      "signed_in 2001:db8:1:2::1",
      "signed_out 2001:db8:1:2::7",
      "signed_in 2001:db8:1:2::8",
      "signed_in 2001:db8:1:3::1"
    ])
  }).pipe(Effect.provide(layer))
})

it.effect("10,000 refusals of one address are six lines, whose counts are exact, and no row of the storage", () => {
  const reported: Array<SecurityEvent> = []
  const sink: EventSink = {
    id: "hook:onSecurity",
    types: ["security"],
    timeLimitMs: 1_000,
    isOfThisProcess: true,
    deliver: (event) => Effect.sync(() => void reported.push(event as SecurityEvent))
  }
  const { layer, lines } = world([sink])
  return Effect.gen(function* () {
    const security = yield* SecurityEvents
    yield* subscribed("security")
    for (let time = 0; time < 10_000; time++) yield* from({ requestId: `r-${time}` })(security.refuse(forged))
    expect(lines).toHaveLength(5)
    yield* TestClock.adjust("1 minute")
    expect(lines).toHaveLength(6)
    const { annotations } = lines.at(-1) ?? {}
    expect(annotations).toEqual({
      event: "refused",
      address: "203.0.113.7",
      route: "GET /api/chat",
      outcome: "unauthorized",
      problem: "refused",
      count: 9_995
    })
    expect(reported.map(({ data }) => data.count ?? 1).reduce((a, b) => a + b, 0)).toBe(10_000)
    expect(yield* security.refusals).toEqual({ "unauthorized refused": 10_000 })
    expect(yield* DeliveryRecords.use((records) => records.list({ limit: 10 }))).toEqual([])
  }).pipe(Effect.provide(layer))
})

it.effect("a process that stops reports the refusals of the running window", () => {
  const { layer, lines } = world()
  const work = Effect.gen(function* () {
    const security = yield* SecurityEvents
    for (let time = 0; time < 50; time++) yield* from({})(security.refuse(forged))
  })
  return Effect.gen(function* () {
    yield* Effect.provide(work, layer)
    expect(lines.map(({ annotations }) => annotations["count"] ?? 1)).toEqual([1, 1, 1, 1, 1, 45])
  })
})

it.effect("a hook that throws or hangs, and a storage that fails, delay nothing and stop nothing", () => {
  const failing: EventSink = {
    id: "hook:onSecurity",
    types: ["security"],
    timeLimitMs: 1_000,
    isOfThisProcess: true,
    deliver: () => Effect.andThen(Effect.sleep("1 hour"), new DeliveryFailed({ reason: "threw" }))
  }
  const { layer, lines } = world([failing])
  return Effect.gen(function* () {
    const security = yield* SecurityEvents
    yield* from({})(security.refuse(forged))
    yield* TestClock.adjust("2 seconds")
    expect(lines.at(-1)?.message).toBe("A hook did not take a security event.")
  }).pipe(Effect.provide(layer))
})

it.effect("an event that the storage does not take stays in the log, with a warning", () => {
  const { layer, lines } = world()
  return Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const outbox = yield* Outbox
    const broken = Outbox.of({
      ...outbox,
      publish: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.die("no answer"))
    })
    const work = SecurityEvents.use(({ record }) => from({})(record({ event: "exported", userId: "ann" })))
    yield* Effect.provide(work, Layer.fresh(SecurityEvents.layer).pipe(Layer.provide(Layer.succeed(Outbox, broken))))
    yield* Deferred.await(asked)
    expect(lines.map(({ message }) => message)).toEqual([
      "A security event.",
      "A security event could not be stored for hooks and webhooks."
    ])
  }).pipe(Effect.provide(layer))
})

it("no text of a client makes a second line, or stands for an address", async () => {
  const { layer, lines } = world()
  const text = fc.string({ unit: "binary", maxLength: 400 })
  const work = Effect.gen(function* () {
    const security = yield* SecurityEvents
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(text, text, async (userAgent, address) => {
          const before = lines.length
          await Effect.runPromise(
            Effect.provide(
              from({ userAgent: `${userAgent}\nevent=erased\u2028\u001b[31m`, address: `${address}x` })(
                security.record({ event: "exported", userId: "ann" })
              ),
              Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(JSON.parse(line) as Line))])
            )
          )
          const [line, ...more] = lines.slice(before)
          expect(more).toEqual([])
          expect(String(line?.annotations["userAgent"])).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
          expect(String(line?.annotations["userAgent"]).length).toBeLessThanOrEqual(400)
          expect(String(line?.annotations["address"])).toMatch(/^(?:unknown|[\da-f:.]+)$/)
        }),
        { numRuns: 100 }
      )
    )
  })
  await Effect.runPromise(Effect.provide(work, layer))
})

it.effect("creating, rotating and revoking a service key are reported, and no event contains its text", () => {
  const { layer, lines } = world()
  return Effect.gen(function* () {
    const keys = yield* ServiceKeys
    const { id, key } = yield* keys.create({ name: "billing", scopes: ["credits:read"] })
    const rotated = yield* keys.rotate({ id })
    yield* keys.revoke(id)
    expect(lines.map(({ annotations }) => annotations["event"])).toEqual(["key_created", "key_rotated", "key_revoked"])
    for (const secret of [key, rotated.key]) expect(JSON.stringify(lines)).not.toContain(secret)
  }).pipe(Effect.provide(Layer.provideMerge(ServiceKeys.layer, layer)))
})
