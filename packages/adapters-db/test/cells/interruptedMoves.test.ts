import { instruments, PreferenceStore } from "@parley/core/adapter"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { moveOwner } from "../../src/cells/moving/moveOwner.ts"
import { splitSql } from "../../src/cells/directory/splitSql.ts"
import { openMoves } from "../../src/cells/moving/openMoves.ts"
import type { Cell } from "../../src/cells/moving/ownerTables.ts"
import { DatabaseError, type Row } from "../../src/database/Database.ts"
import { hasPostgres } from "../databases.ts"
import { killedMove, moveOf, newOwners, openWorld, type World } from "./movingOwners.ts"

const movesOver = (world: World, cells: ReadonlyArray<Cell> = world.cells) =>
  openMoves(
    new Map(cells.map((cell) => [cell.id, cell])),
    world.directory,
    splitSql(world.cells[0].database),
    Effect.void
  )

const away = () => Effect.fail(new DatabaseError({ sqlState: "57P03", cause: new Error("away") }))
/** The cell as it is seen while its database does not answer. */
const absent = (cell: Cell): Cell => ({
  ...cell,
  database: { ...cell.database, statement: away },
  owner: { ...cell.owner, asOwner: away }
})

const failing = (count: Promise<number>) => Effect.promise(() => count.catch(() => "failed"))

/** Makes the marks of all moves look older than any bound. */
const ageMarks = ({ cells }: World) =>
  Effect.forEach(cells, ({ database: { schema }, owner: { execute } }) =>
    execute(`UPDATE ${schema}.moved_owners SET at = now() - interval '1 day'`)
  )

const canWrite = (world: World, owner: string) => {
  const written = PreferenceStore.use((store) => store.set(owner, { instructions: "Be brief.", modelId: null }))
  return Effect.provide(written, world.servers[0]?.routed ?? expect.fail())
}

describe.runIf(hasPostgres)("a move that was interrupted after the directory had changed", { timeout: 120_000 }, () => {
  it("is ended by the same call, after which the owner can write", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = expect.fail()] = (yield* newOwners(world, 1)).keys()
      yield* killedMove(world, yield* moveOf(world, owner), "placed")
      const { leftOwners, move, unfinishedMoves } = movesOver(world)
      expect(yield* Effect.promise(() => move(owner, "b"))).toBe(0)
      yield* canWrite(world, owner)
      expect(yield* Effect.promise(unfinishedMoves)).toEqual([])
      expect(yield* Effect.promise(leftOwners)).toEqual([{ cell: "a", owners: 1 }])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe.runIf(hasPostgres)("rows that moved owners left", { timeout: 120_000 }, () => {
  it("are erased in the cells that answer, although another one does not", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = expect.fail()] = (yield* newOwners(world, 1)).keys()
      const [a, b] = world.cells
      yield* Effect.promise(() => movesOver(world).move(owner, "b"))
      expect(yield* failing(movesOver(world, [absent(b), a]).eraseMoved({ olderThanMs: 0 }))).toBe("failed")
      expect(yield* Effect.promise(movesOver(world).leftOwners)).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe.runIf(hasPostgres)("the duration of a move", { timeout: 120_000 }, () => {
  it("is measured once by the processes that erase the rows, and not if the move was cancelled", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [moved = expect.fail(), stayed = expect.fail()] = (yield* newOwners(world, 2)).keys()
      const measured = () => instruments.cellMoveDuration.read({ "parley.cell": "a", "parley.cell.target": "b" })
      const before = measured()
      const { eraseMoved, finishMoves, move } = movesOver(world)
      yield* Effect.promise(() => move(moved, "b"))
      yield* killedMove(world, yield* moveOf(world, stayed), "frozen")
      yield* Effect.promise(() => finishMoves())
      const erase = Effect.promise(() => eraseMoved({ olderThanMs: 0 }))
      expect((yield* Effect.all([erase, erase], { concurrency: 2 })).reduce((sum, count) => sum + count, 0)).toBe(2)
      expect(measured() - before).toBe(1)
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe.runIf(hasPostgres)("moves that were interrupted", { timeout: 120_000 }, () => {
  it("are ended in the cells that answer, so that the owner can write, although the target does not", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = expect.fail()] = (yield* newOwners(world, 1)).keys()
      const [a, b] = world.cells
      yield* killedMove(world, yield* moveOf(world, owner), "frozen")
      yield* ageMarks(world)
      expect(yield* failing(movesOver(world, [absent(b), a]).finishMoves({ olderThanMs: 60_000 }))).toBe("failed")
      yield* canWrite(world, owner)
      expect(yield* Effect.promise(() => movesOver(world).finishMoves({ olderThanMs: 0 }))).toBe(1)
      expect(yield* Effect.promise(movesOver(world).leftOwners)).toEqual([{ cell: "b", owners: 1 }])
      yield* canWrite(world, owner)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("are left until they are old enough", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = expect.fail()] = (yield* newOwners(world, 1)).keys()
      yield* killedMove(world, yield* moveOf(world, owner), "placed")
      const { finishMoves } = movesOver(world)
      expect(yield* Effect.promise(() => finishMoves({ olderThanMs: 60_000 }))).toBe(0)
      yield* ageMarks(world)
      expect(yield* Effect.promise(() => finishMoves({ olderThanMs: 60_000 }))).toBe(1)
      yield* canWrite(world, owner)
      expect((yield* world.directory.placement(owner)).cell).toBe("b")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("are not confused with a copy that takes long, which ends undisturbed", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = expect.fail()] = (yield* newOwners(world, 1)).keys()
      const move = yield* moveOf(world, owner)
      const [copying, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // The copy of the first table waits.
      const snapshot: Cell["owner"]["snapshot"] = (work) =>
        move.from.owner.snapshot((sql) =>
          work({
            ...sql,
            query: <R extends Row>(text: string, params?: ReadonlyArray<unknown>) => {
              const waiting = Effect.andThen(Deferred.succeed(copying, undefined), Deferred.await(go))
              return Effect.andThen(
                text.includes("DECLARE parley_move") ? waiting : Effect.void,
                sql.query<R>(text, params)
              )
            }
          })
        )
      const from: Cell = { ...move.from, owner: { ...move.from.owner, snapshot } }
      const copy = yield* Effect.forkChild(moveOwner({ ...move, from }))
      yield* Deferred.await(copying)
      yield* Effect.forEach(world.cells, ({ database: { schema }, owner: { execute } }) =>
        execute(
          `UPDATE ${schema}.moved_owners SET at = now() - interval '1 day' WHERE person IN
          (SELECT person FROM ${schema}.moved_owners FOR UPDATE SKIP LOCKED)`
        )
      )
      expect(yield* Effect.promise(() => movesOver(world).finishMoves({ olderThanMs: 0 }))).toBe(0)
      yield* Deferred.succeed(go, undefined)
      expect(yield* Fiber.join(copy)).toBeGreaterThan(0)
      expect((yield* world.directory.placement(owner)).cell).toBe("b")
    }).pipe(Effect.scoped, Effect.runPromise))
})
