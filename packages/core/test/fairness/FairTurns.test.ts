import { Effect, Fiber } from "effect"
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
