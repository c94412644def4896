import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { makePersonTurns } from "../src/environment/PersonTurns.ts"

test("one person's large work waits for itself and rests as long as it took; others work beside it and between it", () =>
  Effect.gen(function* () {
    const turns = makePersonTurns(2, 1)
    const order: Array<string> = []
    const ends: Array<Deferred.Deferred<void>> = []
    const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
    const work = Effect.fnUntraced(function* (person: string) {
      yield* turns.enter(person)
      order.push(person)
      const end = yield* Deferred.make<void>()
      ends.push(end)
      yield* Deferred.await(end)
    }, Effect.scoped)
    for (const person of ["eve", "eve", "eve", "ann", "bob"]) {
      yield* Effect.forkChild(work(person))
      yield* settle
    }
    expect(order).toEqual(["eve", "ann"])
    const endNext = Effect.gen(function* () {
      yield* Deferred.succeed(ends.shift() ?? (yield* Deferred.make<void>()), undefined)
      yield* settle
    })
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
