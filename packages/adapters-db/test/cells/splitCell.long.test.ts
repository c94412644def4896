/** A cell is split by promoting its replica, while people write. */
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { boundOf, faultsOf, load, newOwners, quantile, type World } from "./movingOwners.ts"
import { isUpper, openSplitWorld } from "./splitWorld.ts"

const OWNERS = 40

const eraseAll = (world: World) => Effect.forEach(world.cells, (cell) => eraseMoved(cell, 0), { discard: true })

describe.runIf(hasPostgres)("a cell that is split under load", { timeout: 600_000 }, () => {
  it("loses no answered operation, and each person lives in one cell", (test) =>
    Effect.gen(function* () {
      const world = yield* openSplitWorld(3)
      const answered = yield* newOwners(world, OWNERS)
      const done = yield* Deferred.make<void>()
      const working = yield* Effect.forkChild(load(world, answered, 6, done))
      yield* Effect.sleep(2_000)
      const began = performance.now()
      const times: Record<string, number> = {}
      yield* splitCell({
        ...world.split,
        onStep: (step) => Effect.sync(() => void (times[step] = Math.round(performance.now() - began)))
      })
      yield* Effect.sleep(4_000)
      yield* Deferred.succeed(done, undefined)
      const { durations, refused } = yield* Fiber.join(working)
      yield* eraseAll(world)
      expect(yield* faultsOf(world, answered)).toEqual([])
      for (const owner of answered.keys())
        expect((yield* world.directory.placement(owner)).cell).toBe(isUpper(owner) ? "b" : "a")
      const [p50, p99, longest] = [0.5, 0.99, 0.999_999].map((share) => Math.round(quantile(durations, share)))
      yield* Effect.promise(() =>
        test.annotate(JSON.stringify({ calls: durations.length, refused, p50, p99, longest, times }))
      )
      expect(p99).toBeLessThan(boundOf(durations))
    }).pipe(Effect.scoped, Effect.runPromise))
})
