/** Operations by a seed, on servers that believe anything that was ever true, before and after a split. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { openCopiedWorld } from "./copiedWorld.ts"
import { faultsOf, eraseAll, newOwners, reply, type Stores, turn, upload } from "./movingOwners.ts"
import { operate } from "./staleServers.ts"

describe.runIf(hasPostgres)("servers with an outdated directory beside a split", { timeout: 600_000 }, () => {
  it.each([1, 2, 3, 4])(
    "lose no answered operation, and write none in a cell that is not the owner's, seed %i",
    (seed) =>
      Effect.gen(function* () {
        const world = yield* openCopiedWorld(3, { hasGlobal: seed % 2 === 0, refreshMs: Number.POSITIVE_INFINITY })
        const answered = yield* newOwners(world, 12)
        let number = 0
        for (const [owner, { chats, documents, replies }] of answered) {
          const stores = world.servers[number++ % 3]?.routed as Stores
          yield* Effect.provide(reply(owner, replies), stores)
          yield* Effect.provide(turn(owner, chats), stores)
          yield* Effect.provide(upload(owner, documents), stores)
        }
        yield* splitCell(world.split)
        const counts = yield* operate(world, answered, seed, 400)
        yield* eraseAll(world, 0)
        expect(yield* faultsOf(world, answered)).toEqual([])
        expect(counts.calls).toBeGreaterThan(0)
      }).pipe(Effect.scoped, Effect.runPromise)
  )
})
