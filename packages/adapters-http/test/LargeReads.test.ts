import { Deferred, Effect } from "effect"
import { expect, test } from "vitest"
import { makeLargeReads } from "../src/server/LargeReads.ts"

test("one person's large reads wait for each other, and others read beside them and between them", () =>
  Effect.gen(function* () {
    const reads = makeLargeReads(2, 1)
    const order: Array<string> = []
    const ends: Array<Deferred.Deferred<void>> = []
    const read = Effect.fnUntraced(function* (person: string) {
      yield* reads.enter(person)
      order.push(person)
      const end = yield* Deferred.make<void>()
      ends.push(end)
      yield* Deferred.await(end)
    }, Effect.scoped)
    for (const person of ["eve", "eve", "eve", "ann", "bob"]) {
      yield* Effect.forkChild(read(person))
      yield* Effect.yieldNow
    }
    expect(order).toEqual(["eve", "ann"])
    const endNext = Effect.gen(function* () {
      yield* Deferred.succeed(ends.shift() ?? (yield* Deferred.make<void>()), undefined)
      for (let round = 0; round < 20; round++) yield* Effect.yieldNow
    })
    yield* endNext
    expect(order).toEqual(["eve", "ann", "eve"])
    yield* endNext
    expect(order).toEqual(["eve", "ann", "eve", "bob"])
    yield* endNext
    expect(order).toEqual(["eve", "ann", "eve", "bob", "eve"])
    yield* endNext
    yield* endNext
  }).pipe(Effect.runPromise))
