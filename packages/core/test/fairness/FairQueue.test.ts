import { Clock, Deferred, type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { FairQueue } from "../../src/fairness/FairQueue.ts"

const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

/** Work that records its person and lasts until it is ended. */
const openWork = () => {
  const order: Array<string> = []
  const ends: Array<Deferred.Deferred<void>> = []
  const work = (person: string) =>
    Effect.suspend(() => {
      const end = Deferred.makeUnsafe<void>()
      order.push(person)
      ends.push(end)
      return Deferred.await(end)
    })
  const endNext = Effect.suspend(() => {
    const next = ends.shift()
    return Effect.andThen(next === undefined ? Effect.void : Deferred.succeed(next, undefined), settle)
  })
  return { order, work, endNext }
}

test("people are served round robin, and the work of one in the order of arrival", () =>
  Effect.gen(function* () {
    const queue = new FairQueue({ places: 1, perPerson: 1 })
    const order: Array<string> = []
    const one = (item: string) =>
      queue.run(
        item.charAt(0),
        Effect.andThen(
          Effect.sync(() => order.push(item)),
          Effect.yieldNow
        )
      )
    yield* Effect.all(["a1", "a2", "a3", "b1", "c1", "c2"].map(one), { concurrency: "unbounded" })
    expect(order).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"])
  }).pipe(Effect.runPromise))

test("one person never has more than their places, and others get the rest of them", () =>
  Effect.gen(function* () {
    const queue = new FairQueue({ places: 3, perPerson: 2 })
    const { endNext, order, work } = openWork()
    for (const person of ["eve", "eve", "eve", "eve", "bob", "ann"]) {
      yield* Effect.forkChild(queue.run(person, work(person)))
    }
    yield* settle
    expect(order).toEqual(["eve", "eve", "bob"])
    yield* endNext
    expect(order).toEqual(["eve", "eve", "bob", "ann"])
    yield* endNext
    expect(order).toEqual(["eve", "eve", "bob", "ann", "eve"])
  }).pipe(Effect.runPromise))

test("waiting can be interrupted, also at the moment at which a place becomes free", () =>
  Effect.gen(function* () {
    const queue = new FairQueue({ places: 1, perPerson: 1 })
    const { endNext, order, work } = openWork()
    yield* Effect.forkChild(queue.run("ann", work("ann")))
    yield* settle
    const bob = yield* Effect.forkChild(queue.run("bob", work("bob")))
    const eve = yield* Effect.forkChild(queue.run("eve", work("eve")))
    yield* settle
    yield* Fiber.interrupt(bob)
    const ended = yield* Effect.forkChild(endNext)
    yield* Fiber.interrupt(eve)
    yield* Fiber.join(ended)
    yield* Effect.forkChild(queue.run("cay", work("cay")))
    yield* settle
    expect(order.filter((person) => person !== "eve")).toEqual(["ann", "cay"])
  }).pipe(Effect.runPromise))

test("a person rests as long as their work took; others work beside it and between it", () =>
  Effect.gen(function* () {
    const queue = new FairQueue({ places: 2, perPerson: 1, rest: { times: 1, longestMs: 500 } })
    const { endNext, order, work } = openWork()
    for (const person of ["eve", "eve", "eve", "ann", "bob"]) {
      yield* Effect.forkChild(queue.run(person, work(person)))
      yield* settle
    }
    expect(order).toEqual(["eve", "ann"])
    yield* TestClock.adjust(100)
    yield* endNext
    expect(order).toEqual(["eve", "ann", "bob"])
    yield* endNext
    yield* TestClock.adjust(99)
    yield* settle
    expect(order).toEqual(["eve", "ann", "bob"])
    yield* TestClock.adjust(1)
    yield* settle
    expect(order).toEqual(["eve", "ann", "bob", "eve"])
    yield* endNext
    yield* endNext
    yield* TestClock.adjust(1_000)
    yield* settle
    expect(order).toEqual(["eve", "ann", "bob", "eve", "eve"])
    yield* endNext
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

/** The queue of a new process. */
const makeSlices = () => {
  const queue = new FairQueue({ places: 1, perPerson: 1, rest: { times: 2, longestMs: 50 }, rounds: 4 })
  return { take: <A>(person: string, slice: () => A) => queue.run(person, Effect.sync(slice)) }
}

test("one with little to do waits for one slice of one with much, not for all of them", () =>
  Effect.gen(function* () {
    const slices = makeSlices()
    const order: Array<string> = []
    const manyOf = (person: string, count: number) =>
      Effect.forEach(Array.from({ length: count }), () => slices.take(person, () => order.push(person)))
    const much = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 20 }, () => manyOf("eve", 10)),
        { concurrency: 20 }
      )
    )
    yield* Effect.yieldNow
    const little = yield* Effect.forkChild(manyOf("bob", 3))
    yield* Fiber.join(little)
    expect(order.filter((person) => person === "eve").length).toBeLessThan(10)
    yield* Fiber.join(much)
    expect(order).toHaveLength(203)
  }).pipe(Effect.runPromise))

test("a place is passed on after work that fails, and if its person is interrupted", () =>
  Effect.gen(function* () {
    const slices = makeSlices()
    const broken = slices.take("eve", () => {
      throw new Error("broken")
    })
    const failed = yield* Effect.forkChild(Effect.exit(broken))
    const waiting = yield* Effect.forkChild(slices.take("eve", () => "late"))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(waiting)
    yield* Fiber.join(failed)
    expect(yield* slices.take("bob", () => "next")).toBe("next")
  }).pipe(Effect.runPromise))

test("between two slices the event loop goes round, so that others are served", async () => {
  const slices = makeSlices()
  let rounds = 0
  let counting = true
  const count = () => {
    rounds += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  await Effect.runPromise(Effect.forEach(Array.from({ length: 20 }), () => slices.take("eve", () => undefined)))
  counting = false
  expect(rounds).toBeGreaterThanOrEqual(40)
})

test("after a long slice its person rests in proportion, and others are served meanwhile", () =>
  Effect.gen(function* () {
    const slices = makeSlices()
    const order: Array<string> = []
    // A clock on which each of eve's slices takes ten milliseconds.
    let spent = 0
    const clock = yield* Clock.Clock
    const slow: Clock.Clock = {
      ...clock,
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + spent,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + BigInt(spent) * 1_000_000n,
      currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + spent),
      currentTimeNanos: Effect.sync(() => clock.currentTimeNanosUnsafe() + BigInt(spent) * 1_000_000n),
      sleep: (duration: Duration.Duration) => clock.sleep(duration)
    }
    const eve = slices.take("eve", () => {
      order.push("eve")
      spent += 10
    })
    const bob = slices.take("bob", () => order.push("bob"))
    yield* Effect.gen(function* () {
      const much = yield* Effect.forkChild(Effect.all([eve, eve, eve], { concurrency: 3 }))
      yield* settle
      expect(order).toEqual(["eve"])
      yield* Effect.forkChild(Effect.all([bob, bob], { concurrency: 2 }))
      yield* settle
      expect(order).toEqual(["eve", "bob", "bob"])
      yield* TestClock.adjust(19)
      yield* settle
      expect(order).toEqual(["eve", "bob", "bob"])
      yield* TestClock.adjust(1)
      yield* settle
      expect(order).toEqual(["eve", "bob", "bob", "eve"])
      yield* TestClock.adjust(40)
      yield* Fiber.join(much)
      expect(order).toEqual(["eve", "bob", "bob", "eve", "eve"])
    }).pipe(Effect.provideService(Clock.Clock, slow))
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
