import { Clock, type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { makeFairTurns } from "../../src/fairness/FairTurns.ts"
import { RoundRobin } from "../../src/fairness/RoundRobin.ts"

test("people take turns, and what belongs to one goes in the order it came", () => {
  const waiting = new RoundRobin<string>()
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) waiting.add(item.charAt(0), item)
  expect(waiting.remove("c", "c1")).toBe(true)
  expect(waiting.remove("c", "c1")).toBe(false)
  const order = Array.from({ length: waiting.size }, () => waiting.next())
  expect(order).toEqual(["a1", "b1", "c2", "a2", "a3"])
  expect(waiting.next()).toBe(undefined)
})

test("one with little to do waits for one slice of one with much, not for all of them", () =>
  Effect.gen(function* () {
    const turns = makeFairTurns()
    const order: Array<string> = []
    const slices = (person: string, count: number) =>
      Effect.forEach(Array.from({ length: count }), () => turns.take(person, () => order.push(person)))
    const much = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 20 }, () => slices("eve", 10)),
        { concurrency: 20 }
      )
    )
    yield* Effect.yieldNow
    const little = yield* Effect.forkChild(slices("bob", 3))
    yield* Fiber.join(little)
    expect(order.filter((person) => person === "eve").length).toBeLessThan(10)
    yield* Fiber.join(much)
    expect(order).toHaveLength(203)
  }).pipe(Effect.runPromise))

test("a turn that fails, and one whose taker is interrupted, is passed on", () =>
  Effect.gen(function* () {
    const turns = makeFairTurns()
    const broken = turns.take("eve", () => {
      throw new Error("broken")
    })
    const failed = yield* Effect.forkChild(Effect.exit(broken))
    const waiting = yield* Effect.forkChild(turns.take("eve", () => "late"))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(waiting)
    yield* Fiber.join(failed)
    expect(yield* turns.take("bob", () => "next")).toBe("next")
  }).pipe(Effect.runPromise))

test("between two slices the event loop goes round, so that others are served", async () => {
  const turns = makeFairTurns()
  let rounds = 0
  let counting = true
  const count = () => {
    rounds += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  await Effect.runPromise(Effect.forEach(Array.from({ length: 20 }), () => turns.take("eve", () => undefined)))
  counting = false
  expect(rounds).toBeGreaterThanOrEqual(40)
})

test("who took long rests in proportion, and others have their turns meanwhile", () =>
  Effect.gen(function* () {
    const turns = makeFairTurns()
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
    const eve = turns.take("eve", () => {
      order.push("eve")
      spent += 10
    })
    const bob = turns.take("bob", () => order.push("bob"))
    const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
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
