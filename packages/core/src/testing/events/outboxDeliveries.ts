import { Effect } from "effect"
import { expect, it } from "vitest"
import { cursorOfText } from "../../storage/Cursor.ts"
import { type ClaimedDelivery, type DeliveryOutcome, DeliveryRecords, FEED, Outbox } from "../../events/Outbox.ts"
import type { Run } from "../suiteOn.ts"
import { chargeOf, claimAll, newAccount, type OutboxWorld, subscribed } from "./outboxFixtures.ts"

const HOUR_MS = 3_600_000

const conclude = (destination: string, delivery: ClaimedDelivery | undefined, outcome: DeliveryOutcome) =>
  Outbox.use((outbox) => (delivery === undefined ? Effect.void : outbox.conclude({ destination, delivery, outcome })))

const claimOne = (destination: string, leaseMs = HOUR_MS) =>
  Outbox.use((outbox) => Effect.map(outbox.claim({ destination, limit: 1, leaseMs }), ([one]) => one))

const DELIVERED = { _tag: "Delivered" } as const
const againAt = (afterMs: number) => ({ _tag: "Retry", afterMs, reason: "http_500" }) as const

const recordsOf = (destination: string) => DeliveryRecords.use((records) => records.list({ destination, limit: 100 }))

/** Tests the guarantees of deliveries. */
export const outboxDeliveries = (run: Run<OutboxWorld>): void => {
  it("an event has one id at all destinations, and goes its own way to each", () =>
    run(
      Effect.gen(function* () {
        const userId = yield* newAccount(100)
        const [one, other] = [yield* subscribed("credits.charged"), yield* subscribed("credits.charged")]
        yield* chargeOf(userId, "reply:1", 1)
        const toOne = yield* claimOne(one)
        yield* conclude(one, toOne, DELIVERED)
        const toOther = yield* claimOne(other)
        expect(toOther?.event).toEqual(toOne?.event)
        expect(yield* claimOne(one)).toBeUndefined()
        expect((yield* recordsOf(one)).map(({ state }) => state)).toEqual(["delivered"])
        expect((yield* recordsOf(other)).map(({ state }) => state)).toEqual(["pending"])
      })
    ))

  it("the feed returns its events in one order, page by page, to every reader", () =>
    run(
      Effect.gen(function* () {
        const { feed } = yield* DeliveryRecords
        yield* (yield* Outbox).subscribe({
          destinations: [{ id: FEED, types: ["credits.charged"] }],
          lowBelow: undefined
        })
        const [userId, other] = [yield* newAccount(100), yield* newAccount(100)]
        const before = (yield* feed({ after: undefined, limit: 1_000 })).next
        const keys = Array.from({ length: 5 }, (_, index) => `reply:${index}`)
        yield* Effect.forEach(keys, (key) => chargeOf(userId, key, 1))
        yield* chargeOf(other, "reply:other", 1)
        const { events: all } = yield* feed({ after: before, limit: 1_000 })
        expect(all).toHaveLength(6)
        expect(all.map((event) => "key" in event.data && event.data.key)).toEqual([...keys, "reply:other"])
        const page = yield* feed({ after: before, limit: 4 })
        const rest = yield* feed({ after: page.next, limit: 4 })
        expect([...page.events, ...rest.events]).toEqual(all)
        expect(yield* feed({ after: rest.next, limit: 4 })).toEqual({ events: [], next: rest.next })
        expect(yield* Effect.flip(feed({ after: cursorOfText("first"), limit: 4 }))).toMatchObject({
          _tag: "InvalidInput"
        })
      })
    ))

  it("a claimed event is not claimed again until the claim expires: then it is taken over, with its tries counted", () =>
    run(
      Effect.gen(function* () {
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("credits.charged")
        yield* Effect.forEach(["a", "b", "c"], (key) => chargeOf(userId, `reply:${key}`, 1))
        const outbox = yield* Outbox
        const claims = Array.from({ length: 6 }, () => outbox.claim({ destination, limit: 1, leaseMs: 0 }))
        // Claims with a lifetime of zero expire at once, like those of a dead process.
        const dead = yield* Effect.all(claims)
        expect(dead.flat().length).toBe(6)
        const held = yield* Effect.all(
          Array.from({ length: 6 }, () => outbox.claim({ destination, limit: 1, leaseMs: HOUR_MS })),
          { concurrency: "unbounded" }
        )
        expect(new Set(held.flat().map(({ event }) => event.id)).size).toBe(held.flat().length)
        const rest = yield* claimAll(destination)
        expect(held.flat().length + rest.length).toBe(3)
        expect([...held.flat(), ...rest].reduce((sum, { tries }) => sum + tries, 0)).toBe(9)
      })
    ))

  it("a failed event pauses for its wait, and does not delay others", () =>
    run(
      Effect.gen(function* () {
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("credits.charged")
        yield* chargeOf(userId, "reply:poison", 1)
        const poison = yield* claimOne(destination)
        yield* conclude(destination, poison, againAt(HOUR_MS))
        yield* chargeOf(userId, "reply:good", 1)
        const good = yield* claimOne(destination)
        expect(good?.event.data).toMatchObject({ key: "reply:good" })
        expect(yield* claimOne(destination)).toBeUndefined()
        const records = yield* recordsOf(destination)
        expect(records.find(({ eventId }) => eventId === poison?.event.id)).toMatchObject({
          state: "pending",
          tries: 1,
          reason: "http_500"
        })
        yield* chargeOf(userId, "reply:soon", 1)
        const soon = yield* claimOne(destination)
        yield* conclude(destination, soon, againAt(0))
        expect(yield* claimOne(destination)).toMatchObject({ event: soon?.event, tries: 2 })
      })
    ))

  it("a claim that was taken over decides nothing but that the event was delivered", () =>
    run(
      Effect.gen(function* () {
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("credits.charged")
        yield* chargeOf(userId, "reply:1", 1)
        const late = yield* claimOne(destination, 0)
        const now = yield* claimOne(destination)
        yield* conclude(destination, late, againAt(0))
        yield* conclude(destination, late, { _tag: "Dead", reason: "http_500" })
        expect(yield* claimOne(destination)).toBeUndefined()
        expect(yield* recordsOf(destination)).toMatchObject([{ state: "pending", tries: 2 }])
        yield* conclude(destination, late, DELIVERED)
        yield* conclude(destination, now, againAt(0))
        expect(yield* recordsOf(destination)).toMatchObject([{ state: "delivered" }])
        expect(yield* claimOne(destination)).toBeUndefined()
      })
    ))

  it("dead deliveries wait for the operator, whose retry has all tries again", () =>
    run(
      Effect.gen(function* () {
        const records = yield* DeliveryRecords
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("credits.charged")
        yield* Effect.forEach(["a", "b"], (key) => chargeOf(userId, `reply:${key}`, 1))
        const both = yield* claimAll(destination)
        yield* Effect.forEach(both, (each) => conclude(destination, each, { _tag: "Dead", reason: "timeout" }))
        expect(yield* claimOne(destination)).toBeUndefined()
        const dead = yield* records.list({ destination, state: "dead", limit: 10 })
        expect(dead.map(({ account, reason, tries }) => ({ account, reason, tries }))).toEqual(
          both.map(() => ({ account: userId, reason: "timeout", tries: 1 }))
        )
        expect(yield* records.retry({ eventId: both[0]?.event.id, destination })).toBe(1)
        expect(yield* claimOne(destination)).toMatchObject({ event: both[0]?.event, tries: 1 })
        expect(yield* records.retry({ destination })).toBe(1)
        expect(yield* records.retry({ destination })).toBe(0)
        expect((yield* records.destinations).find(({ id }) => id === destination)).toMatchObject({
          pending: 2,
          dead: 0,
          oldestMs: expect.any(Number)
        })
      })
    ))

  it("a destination that asked for no further deliveries gets none, even if it subscribes again, until it is retried", () =>
    run(
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const records = yield* DeliveryRecords
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("credits.charged")
        yield* chargeOf(userId, "reply:1", 1)
        yield* outbox.disable(destination)
        yield* outbox.subscribe({
          destinations: [{ id: destination, types: ["credits.charged"] }],
          lowBelow: undefined
        })
        yield* chargeOf(userId, "reply:2", 1)
        expect(yield* claimOne(destination)).toBeUndefined()
        expect(yield* recordsOf(destination)).toMatchObject([{ state: "dead", reason: "gone" }])
        expect((yield* records.destinations).find(({ id }) => id === destination)).toMatchObject({
          disabledAt: expect.any(Number),
          dead: 1,
          oldestMs: undefined
        })
        expect(yield* records.retry({ destination })).toBe(1)
        yield* chargeOf(userId, "reply:3", 1)
        const told = yield* claimAll(destination)
        const keys = new Set(told.map(({ event: { data } }) => "key" in data && data.key))
        expect(keys).toEqual(new Set(["reply:1", "reply:3"]))
      })
    ))

  it("no delivery is deleted that is pending, or has ended a moment ago", () =>
    run(
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const userId = yield* newAccount(100)
        const destination = yield* subscribed("credits.charged")
        yield* Effect.forEach(["a", "b", "c"], (key) => chargeOf(userId, `reply:${key}`, 1))
        yield* conclude(destination, yield* claimOne(destination), DELIVERED)
        yield* conclude(destination, yield* claimOne(destination), { _tag: "Dead", reason: "timeout" })
        yield* outbox.prune({ limit: 1000 })
        expect((yield* recordsOf(destination)).map(({ state }) => state).toSorted()).toEqual([
          "dead",
          "delivered",
          "pending"
        ])
      })
    ))
}
