import { PreferenceStore } from "@parley/core/adapter"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { openMoves } from "../../src/cells/moving/openMoves.ts"
import type { Cell } from "../../src/cells/moving/ownerTables.ts"
import { DatabaseError } from "../../src/database/Database.ts"
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

describe.runIf(hasPostgres)("rows that moved owners left", { timeout: 120_000 }, () => {
  it("are erased in the cells that answer, although another one does not", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = expect.fail()] = (yield* newOwners(world, 1)).keys()
      const [a, b] = world.cells
      const moves = (cells: ReadonlyArray<Cell>) =>
        openMoves(new Map(cells.map((cell) => [cell.id, cell])), world.directory, Effect.void)
      yield* Effect.promise(() => moves([a, b]).move(owner, "b"))
      const away = () => Effect.fail(new DatabaseError({ sqlState: "57P03", cause: new Error("away") }))
      const absent: Cell = { ...b, owner: { ...b.owner, asOwner: away } }
      const erased = yield* Effect.promise(() =>
        moves([absent, a])
          .eraseMoved({ olderThanMs: 0 })
          .catch(() => "failed")
      )
      expect(erased).toBe("failed")
      expect(yield* Effect.promise(moves([a, b]).unfinishedMoves)).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))
})
