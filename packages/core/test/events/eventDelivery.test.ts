import { Deferred, Effect, Fiber, Layer, Logger, type Scope } from "effect"
import { type CreditPorts } from "../../src/credits/CreditLedger.ts"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { EventDelivery, MAX_TRIES } from "../../src/events/EventDelivery.ts"
import { DeliveryFailed, type EventSink, EventSinks } from "../../src/events/EventSink.ts"
import { hookSinks } from "../../src/events/hooks.ts"
import { DeliveryRecords, Outbox } from "../../src/events/Outbox.ts"
import { type EventType, ownerOfEvent, type ParleyEvent } from "../../src/events/ParleyEvent.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { chargeOf, newAccount } from "../../src/testing/events/outboxFixtures.ts"
import { Catalog } from "../../src/tiers/Catalog.ts"
import { defaultCatalog } from "../../src/tiers/shippedCatalog.ts"

const keyOf = (event: ParleyEvent): string => ("key" in event.data ? event.data.key : ownerOfEvent(event.data))

const sink = (id: string, deliver: EventSink["deliver"]): EventSink => ({
  id: `hook:${id}`,
  types: ["credits.charged"],
  timeLimitMs: 30_000,
  deliver
})

const recording = (id: string) => {
  const got: Array<string> = []
  return { got, sink: sink(id, (event) => Effect.sync(() => void got.push(keyOf(event)))) }
}

const running = <A, E>(
  sinks: ReadonlyArray<EventSink>,
  work: Effect.Effect<A, E, EventDelivery | DeliveryRecords | Outbox | CreditPorts | Catalog | Scope.Scope>
) =>
  Effect.runPromise(
    Effect.scoped(work).pipe(
      Effect.provide(
        EventDelivery.layer.pipe(
          Layer.provideMerge(Layer.mergeAll(inMemoryStorageLayer, Layer.succeed(Catalog, defaultCatalog))),
          Layer.provideMerge(Layer.mergeAll(TestClock.layer(), Layer.succeed(EventSinks, sinks), Logger.layer([])))
        )
      )
    ) as Effect.Effect<A, E>
  )

const HOUR = 3_600_000
const deliver = EventDelivery.use((delivery) => delivery.deliver)
const statesOf = (destination: string) =>
  DeliveryRecords.use((records) =>
    Effect.map(records.list({ destination, limit: 100 }), (all) => all.map(({ state }) => state))
  )

describe("the delivery of events", () => {
  it("an event that fails is tried again for three days, lets others pass, and is kept as dead", async () => {
    const tried: Array<number> = []
    const got: Array<string> = []
    const poisoned = sink("poisoned", (event) =>
      Effect.gen(function* () {
        if (keyOf(event) !== "poison") return void got.push(keyOf(event))
        tried.push(yield* Effect.clockWith((clock) => clock.currentTimeMillis))
        return yield* new DeliveryFailed({ reason: "http_500" })
      })
    )
    await running(
      [poisoned],
      Effect.gen(function* () {
        const userId = yield* newAccount(100)
        yield* chargeOf(userId, "poison", 1)
        for (let hour = 0; hour < 24 * 4; hour += 1) {
          yield* chargeOf(userId, `good ${hour}`, 1)
          yield* deliver
          yield* TestClock.adjust(HOUR)
        }
        expect(got.length).toBe(96)
        expect(tried.length).toBe(MAX_TRIES)
        const days = ((tried.at(-1) ?? 0) - (tried[0] ?? 0)) / (24 * HOUR)
        expect(days).toBeGreaterThan(2.9)
        expect(days).toBeLessThan(3.6)
        expect((yield* statesOf("hook:poisoned")).filter((state) => state === "dead")).toEqual(["dead"])
      })
    )
  })

  it("a destination that asks to be left alone for a while is", async () => {
    let tries = 0
    const busy = sink("busy", () =>
      Effect.suspend(() =>
        (tries += 1) === 1 ? Effect.fail(new DeliveryFailed({ reason: "http_429", retryAfterMs: HOUR })) : Effect.void
      )
    )
    await running(
      [busy],
      Effect.gen(function* () {
        yield* chargeOf(yield* newAccount(100), "one", 1)
        yield* deliver
        yield* TestClock.adjust(HOUR - 1)
        expect(yield* deliver).toBe(0)
        yield* TestClock.adjust(1)
        expect(yield* deliver).toBe(1)
        expect(yield* statesOf("hook:busy")).toEqual(["delivered"])
      })
    )
  })

  it("a destination that answered 410 gets no more events, and others do", async () => {
    const other = recording("other")
    let tries = 0
    const gone = sink("gone", () =>
      Effect.suspend(() => {
        tries += 1
        return Effect.fail(new DeliveryFailed({ reason: "http_410", isGone: true }))
      })
    )
    await running(
      [gone, other.sink],
      Effect.gen(function* () {
        const userId = yield* newAccount(100)
        yield* chargeOf(userId, "one", 1)
        yield* deliver
        yield* chargeOf(userId, "two", 1)
        yield* deliver
        expect(tries).toBe(1)
        expect(yield* statesOf("hook:gone")).toEqual(["dead"])
        expect(other.got).toEqual(["one", "two"])
      })
    )
  })

  it("a hook that never ends holds up neither other hooks nor, beyond its share, its own other events", async () => {
    const other = recording("other")
    const own: Array<string> = []
    const hanging = sink("hanging", (event) =>
      keyOf(event) === "hangs" ? Effect.never : Effect.sync(() => void own.push(keyOf(event)))
    )
    await running(
      [hanging, other.sink],
      Effect.gen(function* () {
        const { run } = yield* EventDelivery
        const userId = yield* newAccount(100)
        const worker = yield* Effect.forkScoped(run)
        yield* chargeOf(userId, "hangs", 1)
        for (let second = 0; second < 20; second += 1) {
          yield* chargeOf(userId, `after ${second}`, 1)
          yield* TestClock.adjust("1 second")
        }
        yield* TestClock.adjust("5 seconds")
        expect(own.length).toBe(20)
        expect(other.got.length).toBe(21)
        // The try times out, and is repeated.
        yield* TestClock.adjust("10 seconds")
        const [hung] = (yield* DeliveryRecords.use((records) =>
          records.list({ destination: "hook:hanging", limit: 100 })
        )).filter(({ state }) => state === "pending")
        expect(hung).toMatchObject({ reason: "timeout" })
        yield* Fiber.interrupt(worker)
      })
    )
  })

  it("an outbox that breaks down once, in looking or in noting, is asked again, and the events are delivered", async () => {
    const { got, sink: told } = recording("told")
    const breaks = { claim: true, conclude: true }
    const broken = <A, E>(part: keyof typeof breaks, work: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        if (!breaks[part]) return work
        breaks[part] = false
        return Effect.die(new Error("a bug"))
      })
    const breaking = Layer.effect(
      Outbox,
      Outbox.use((outbox) =>
        Effect.succeed(
          Outbox.of({
            ...outbox,
            claim: (input) => broken("claim", outbox.claim(input)),
            conclude: (input) => broken("conclude", outbox.conclude(input))
          })
        )
      )
    )
    await running(
      [told],
      Effect.gen(function* () {
        const { run } = yield* EventDelivery
        yield* chargeOf(yield* newAccount(100), "one", 1)
        const worker = yield* Effect.forkScoped(run)
        // The claim of an unrecorded outcome has to expire first.
        yield* TestClock.adjust("2 minutes")
        expect(breaks).toEqual({ claim: false, conclude: false })
        expect(got).toEqual(["one", "one"])
        expect(yield* statesOf(told.id)).toEqual(["delivered"])
        yield* Fiber.interrupt(worker)
      }).pipe(Effect.provide(Layer.fresh(EventDelivery.layer).pipe(Layer.provideMerge(breaking))))
    )
  })

  it("what a process had claimed when it died is delivered by another once the claim has ended", async () => {
    const { got, sink: alive } = recording("shared")
    await running(
      [alive],
      Effect.gen(function* () {
        yield* chargeOf(yield* newAccount(100), "one", 1)
        const dead = yield* Outbox.use((outbox) => outbox.claim({ destination: alive.id, limit: 1, leaseMs: 60_000 }))
        expect(dead.length).toBe(1)
        yield* TestClock.adjust("59 seconds")
        yield* deliver
        expect(got).toEqual([])
        yield* TestClock.adjust("1 second")
        yield* deliver
        expect(got).toEqual(["one"])
      })
    )
  })

  it("no event is stored without a subscription", async () => {
    await running(
      [],
      Effect.gen(function* () {
        yield* chargeOf(yield* newAccount(100), "one", 1)
        expect(yield* deliver).toBe(0)
        expect(yield* DeliveryRecords.use((records) => records.list({ limit: 10 }))).toEqual([])
      })
    )
  })

  it("delivered events are deleted after a day, dead ones after thirty, and an unserved destination after a week", async () => {
    const { sink: hook } = recording("hook")
    await running(
      [hook],
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const userId = yield* newAccount(100)
        yield* outbox.subscribe({
          destinations: [{ id: "hook:left", types: ["credits.charged"] }],
          lowBelow: undefined
        })
        yield* chargeOf(userId, "delivered", 1)
        yield* deliver
        yield* chargeOf(userId, "dead", 1)
        const [dead] = yield* outbox.claim({ destination: hook.id, limit: 1, leaseMs: 0 })
        if (dead === undefined) throw new Error("Nothing was claimed.")
        yield* outbox.conclude({ destination: hook.id, delivery: dead, outcome: { _tag: "Dead", reason: "timeout" } })
        const kept = Effect.gen(function* () {
          yield* outbox.prune({ limit: 1000 })
          return [yield* statesOf(hook.id), yield* statesOf("hook:left")]
        })
        const served = outbox.subscribe({ destinations: [hook], lowBelow: undefined })
        yield* TestClock.adjust(24 * HOUR)
        expect(yield* kept).toEqual([
          ["dead", "delivered"],
          ["pending", "pending"]
        ])
        yield* TestClock.adjust(1)
        expect(yield* kept).toEqual([["dead"], ["pending", "pending"]])
        yield* served
        yield* TestClock.adjust(6 * 24 * HOUR)
        expect(yield* kept).toEqual([["dead"], []])
        yield* served
        yield* TestClock.adjust(24 * 24 * HOUR)
        expect(yield* kept).toEqual([[], []])
      })
    )
  })
})

describe("subscriptions", () => {
  it("forget a type that no process has asked for in a quarter of an hour, and no other", async () => {
    const { sink: hook } = recording("hook")
    await running(
      [hook],
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const records = yield* DeliveryRecords
        const ask = (...types: ReadonlyArray<EventType>) =>
          outbox.subscribe({ destinations: [{ id: "hook:both", types }], lowBelow: undefined })
        const types = Effect.map(records.destinations, (all) => all.find(({ id }) => id === "hook:both")?.types)
        yield* ask("credits.charged", "document.ready")
        yield* TestClock.adjust(0.25 * HOUR)
        yield* ask("credits.charged")
        expect(yield* types).toEqual(["credits.charged", "document.ready"])
        yield* TestClock.adjust(1)
        yield* ask("credits.charged")
        expect(yield* types).toEqual(["credits.charged"])
      })
    )
  })

  it("forget a threshold that no process has asked for in a quarter of an hour, and no other", async () => {
    const { sink: hook } = recording("hook")
    await running(
      [hook],
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const ask = (free: number) =>
          outbox.subscribe({ destinations: [{ id: "hook:low", types: ["balance.low"] }], lowBelow: { free } })
        yield* ask(90)
        yield* TestClock.adjust(0.25 * HOUR)
        yield* ask(50)
        yield* newAccount(60)
        expect(yield* statesOf("hook:low")).toHaveLength(1)
        yield* TestClock.adjust(1)
        yield* ask(50)
        yield* newAccount(60)
        expect(yield* statesOf("hook:low")).toHaveLength(1)
        yield* newAccount(40)
        expect(yield* statesOf("hook:low")).toHaveLength(2)
      })
    )
  })

  it("forget the threshold of a destination that no process has served in a quarter of an hour, where another asks for one", async () => {
    await running(
      [],
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const ask = (id: string, free: number) =>
          outbox.subscribe({ destinations: [{ id, types: ["balance.low"] }], lowBelow: { free } })
        yield* ask("hook:renamed", 90)
        yield* TestClock.adjust(0.25 * HOUR + 1)
        yield* newAccount(60)
        expect(yield* statesOf("hook:renamed")).toHaveLength(1)
        yield* ask("hook:low", 50)
        yield* newAccount(60)
        expect(yield* statesOf("hook:low")).toHaveLength(0)
        yield* newAccount(40)
        expect(yield* statesOf("hook:low")).toHaveLength(1)
      })
    )
  })

  it("keep what waits for a destination that is served, however long", async () => {
    const { sink: hook } = recording("hook")
    await running(
      [hook],
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* chargeOf(yield* newAccount(100), "waiting", 1)
        yield* TestClock.adjust(8 * 24 * HOUR)
        yield* outbox.subscribe({ destinations: [hook], lowBelow: undefined })
        expect(yield* outbox.prune({ limit: 1000 })).toBe(0)
        expect(yield* statesOf(hook.id)).toEqual(["pending"])
      })
    )
  })
})

describe("hooks", () => {
  it("receive their events, and a throw, a rejection and a promise have their usual meaning", async () => {
    const done = Deferred.makeUnsafe<string>()
    const [throwing, rejecting, working] = hookSinks({
      onReply: () => {
        throw new Error("with a prompt in it")
      },
      onCharge: () => Promise.reject(new Error("no")),
      onDocument: async ({ id }) => void (await Effect.runPromise(Deferred.succeed(done, id)))
    })
    expect([throwing?.id, rejecting?.id, working?.id]).toEqual(["hook:onReply", "hook:onCharge", "hook:onDocument"])
    expect(working?.types).toEqual(["document.ready", "document.failed"])
    const event = { id: "evt_1" } as ParleyEvent
    for (const failing of [throwing, rejecting]) {
      const error = await Effect.runPromise(Effect.flip(failing?.deliver(event) ?? Effect.void))
      expect(error).toMatchObject({ _tag: "DeliveryFailed", reason: "threw" })
    }
    await Effect.runPromise(working?.deliver(event) ?? Effect.void)
    expect(await Effect.runPromise(Deferred.await(done))).toBe("evt_1")
  })
})
