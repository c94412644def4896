import { Databases, type Moves } from "@parley/adapters-db"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { endMoves } from "../../src/databases/endMoves.ts"

/** Cells with rows to erase in parts of so many owners, and a record of the calls. */
const cellsWith = (parts: ReadonlyArray<number>) => {
  const calls: Array<string> = []
  const rest = [...parts]
  const called = (name: string, result: number) => {
    calls.push(name)
    return Promise.resolve(result)
  }
  const moves: Partial<Moves> = {
    finishMoves: () => called("finish", 0),
    eraseMoved: () => called("erase", rest.shift() ?? 0)
  }
  const databases = { cells: { moves } } as unknown as Databases["Service"]
  return { calls, layer: Layer.succeed(Databases, databases) }
}

const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

it("goes on erasing at once until no rows are left, and ends interrupted moves before each part", () => {
  const { calls, layer } = cellsWith([250, 250, 20])
  return Effect.gen(function* () {
    yield* endMoves
    while (calls.length < 8) yield* settle
    expect(calls).toEqual(Array.from({ length: 4 }, () => ["finish", "erase"]).flat())
    yield* TestClock.adjust("15 seconds")
    while (calls.length < 10) yield* settle
    expect(calls.slice(8)).toEqual(["finish", "erase"])
  }).pipe(Effect.provide(Layer.merge(layer, TestClock.layer())), Effect.scoped, Effect.runPromise)
})
