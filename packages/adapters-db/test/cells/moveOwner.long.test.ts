import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import {
  boundOf,
  endMove,
  eraseAll,
  faultsOf,
  killedMove,
  load,
  moveOf,
  moveSoon,
  newOwners,
  openWorld,
  quantile,
  STEPS
} from "./movingOwners.ts"

const MOVES = 1_000

describe.runIf(hasPostgres)("a thousand moves under load", () => {
  it("fail no call and lose no answered operation, and every third mover is killed", { timeout: 3_600_000 }, (test) =>
    Effect.gen(function* () {
      const world = yield* openWorld(3)
      const answered = yield* newOwners(world, 20)
      const done = yield* Deferred.make<void>()
      const working = yield* Effect.forkChild(load(world, answered, 6, done))
      const owners = [...answered.keys()]
      const moves: Array<number> = []
      for (let number = 0; number < MOVES; number += 1) {
        const move = yield* moveOf(world, owners[(number * 7) % owners.length] ?? expect.fail())
        if (number % 3 === 0) {
          yield* killedMove(world, move, STEPS[(number / 3) % (STEPS.length + 1)] ?? number % 100)
          yield* endMove(move, number)
        } else {
          const began = performance.now()
          yield* moveSoon(move)
          moves.push(performance.now() - began)
        }
        if (number % 10 === 0) yield* eraseAll(world, number % 20 === 0 ? 0 : 6_000)
        if ((yield* Effect.sync(() => working.pollUnsafe())) !== undefined) yield* Fiber.join(working)
      }
      yield* Deferred.succeed(done, undefined)
      const { durations, refused } = yield* Fiber.join(working)
      yield* eraseAll(world, 0)
      expect(yield* faultsOf(world, answered)).toEqual([])
      const [p50, p99, longest] = [0.5, 0.99, 0.999_999].map((share) => Math.round(quantile(durations, share)))
      const moved = [0.5, 0.99].map((share) => Math.round(quantile(moves, share)))
      yield* Effect.promise(() =>
        test.annotate(JSON.stringify({ calls: durations.length, refused, p50, p99, longest, moved }))
      )
      expect(p99).toBeLessThan(boundOf(durations))
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
