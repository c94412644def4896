import { PreferenceStore } from "@parley/core/adapter"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { openMoves } from "../../src/cells/moving/openMoves.ts"
import { hasPostgres } from "../databases.ts"
import { killedMove, moveOf, newOwners, openWorld } from "./movingOwners.ts"

describe.runIf(hasPostgres)("a move that was interrupted after the directory had changed", { timeout: 120_000 }, () => {
  it("is ended by the same call, after which the owner can write", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = expect.fail()] = (yield* newOwners(world, 1)).keys()
      yield* killedMove(world, yield* moveOf(world, owner), "placed")
      const cells = new Map(world.cells.map((cell) => [cell.id, cell]))
      const { move, unfinishedMoves } = openMoves(cells, world.directory, Effect.void)
      expect(yield* Effect.promise(() => move(owner, "b"))).toBe(0)
      const written = PreferenceStore.use((store) => store.set(owner, { instructions: "Be brief.", modelId: null }))
      yield* Effect.provide(written, world.servers[0]?.routed ?? expect.fail())
      expect((yield* Effect.promise(unfinishedMoves)).map(({ state }) => state)).toEqual(["moved"])
    }).pipe(Effect.scoped, Effect.runPromise))
})
