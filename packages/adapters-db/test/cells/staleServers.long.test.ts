import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { eraseAll, faultsOf, newOwners, openWorld } from "./movingOwners.ts"
import { operate } from "./staleServers.ts"

const OPERATIONS = 100_000
const WORLDS = 4

describe.runIf(hasPostgres)("a hundred thousand operations by seed", () => {
  it("are each done where the owner lives, with directories of any age", { timeout: 3_600_000 }, (test) =>
    Effect.gen(function* () {
      const runs = yield* Effect.forEach(
        Array.from({ length: WORLDS }, (_, index) => index + 1),
        (seed) =>
          Effect.gen(function* () {
            const world = yield* openWorld(3, Number.POSITIVE_INFINITY)
            const answered = yield* newOwners(world, 10)
            const counts = yield* operate(world, answered, seed, OPERATIONS / WORLDS)
            yield* eraseAll(world, 0)
            expect(yield* faultsOf(world, answered)).toEqual([])
            return counts
          }).pipe(Effect.scoped),
        { concurrency: WORLDS }
      )
      yield* Effect.promise(() => test.annotate(JSON.stringify(runs)))
    }).pipe(Effect.runPromise)
  )
})
