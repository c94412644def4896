import { newUserId } from "@parley/core/testing"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { Directory } from "../../src/cells/directory/Directory.ts"
import { directorySql } from "../../src/cells/directory/directorySql.ts"
import { assignBuckets, finishAssignments } from "../../src/cells/moving/assignBuckets.ts"
import { MOVED } from "../../src/cells/routing/cellFailures.ts"
import { hasPostgres } from "../databases.ts"
import { openWorld, type World } from "./movingOwners.ts"

const cellsOf = ({ cells }: World) => new Map(cells.map((cell) => [cell.id, cell]))

/** The first row of a new owner of the bucket, in the first cell; returns its SQLSTATE if it is refused. */
const firstRow = ({ cells: [{ database }] }: World, owner: string) =>
  Effect.match(
    database.statement(`INSERT INTO ${database.schema}.preferences (user_id, instructions) VALUES ($1, '')`, [owner]),
    { onSuccess: () => "written", onFailure: ({ sqlState }) => sqlState }
  )

describe.runIf(hasPostgres)("buckets that change their cell", { timeout: 120_000 }, () => {
  it("refuse new owners in the former cell from the fence on, and accept them again after a cancellation", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(0)
      const [a] = world.cells
      const owner = newUserId()
      const buckets = [bucketOf(owner)]
      // Interrupted after the fence: the directory still names the first cell.
      const killed = { ...world.directory, replaceBuckets: () => Effect.die("killed") }
      yield* Effect.exit(assignBuckets(killed, cellsOf(world), "b", buckets))
      expect(yield* firstRow(world, owner)).toBe(MOVED)
      yield* finishAssignments(world.directory, a, 60_000)
      expect(yield* firstRow(world, owner)).toBe(MOVED)
      yield* finishAssignments(world.directory, a, 0)
      expect(yield* firstRow(world, newUserId())).toBe("written")
      expect(yield* firstRow(world, owner)).toBe("written")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("are left to an assignment that runs, however long it takes", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(0)
      const [a, b] = world.cells
      const owner = newUserId()
      const [checking, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let asked = 0
      // The look for owners after the fence waits.
      const asOwner: typeof a.owner.asOwner = (work) =>
        Effect.andThen(
          Effect.suspend(() =>
            ++asked === 3 ? Effect.andThen(Deferred.succeed(checking, undefined), Deferred.await(go)) : Effect.void
          ),
          a.owner.asOwner(work)
        )
      const cells = new Map([
        ["a", { ...a, owner: { ...a.owner, asOwner } }],
        ["b", b]
      ])
      const assigning = yield* Effect.forkChild(assignBuckets(world.directory, cells, "b", [bucketOf(owner)]))
      yield* Deferred.await(checking)
      yield* a.owner.execute(`UPDATE ${a.database.schema}.lost_buckets SET at = now() - interval '1 hour'`)
      // The next sign of life.
      yield* TestClock.adjust("1 minute")
      const isYoung = Effect.map(
        a.database.statement(`SELECT FROM ${a.database.schema}.lost_buckets WHERE at > now() - interval '1 minute'`),
        ({ length }) => length === 1
      )
      yield* Effect.repeat(isYoung, { until: (young) => young, times: 1000 })
      yield* finishAssignments(world.directory, a, 60_000)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(assigning)
      expect((yield* world.directory.placement(owner)).cell).toBe("b")
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))

  it("belong to one cell after two assignments at once, of which one is refused", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(0)
      const owner = newUserId()
      const buckets = [bucketOf(owner)]
      const cancelling = {
        ...world.directory,
        // Another process cancels before the flip.
        replaceBuckets: (...args: Parameters<typeof world.directory.replaceBuckets>) =>
          Effect.andThen(finishAssignments(world.directory, world.cells[0], 0), world.directory.replaceBuckets(...args))
      }
      const refused = yield* Effect.flip(assignBuckets(cancelling, cellsOf(world), "b", buckets))
      expect(refused).toMatchObject({ _tag: "AssignRefused", problem: "superseded" })
      expect(yield* firstRow(world, owner)).toBe("written")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("stay if an owner comes while the cell is being asked for owners", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(0)
      const [a, b] = world.cells
      const owner = newUserId()
      let asked = 0
      // The owner's first row is committed after the first look, and before the fence.
      const login: typeof a.owner = {
        ...a.owner,
        asOwner: (work) =>
          Effect.tap(a.owner.asOwner(work), () => (++asked === 1 ? Effect.ignore(firstRow(world, owner)) : Effect.void))
      }
      const cells = new Map([
        ["a", { ...a, owner: login }],
        ["b", b]
      ])
      const refused = yield* Effect.flip(assignBuckets(world.directory, cells, "b", [bucketOf(owner)]))
      expect(refused).toMatchObject({ _tag: "AssignRefused", problem: "has-owners", owners: [owner] })
      expect(yield* firstRow(world, owner)).toBe("23505")
      expect((yield* world.directory.placement(owner)).cell).toBe("a")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("leave the rows of erased people where the directory finds them", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(0)
      const [stored, erasedNow] = [`erased:${crypto.randomUUID()}`, `erased:${crypto.randomUUID()}`]
      // Erased before there were cells, and with an erasure over cells.
      expect(yield* firstRow(world, stored)).toBe("written")
      yield* new Directory(directorySql(world.cells[0].database)).keepIn(erasedNow, "a")
      yield* assignBuckets(world.directory, cellsOf(world), "b", [bucketOf(stored), bucketOf(erasedNow)])
      for (const pseudonym of [stored, erasedNow])
        expect((yield* world.directory.placement(pseudonym)).cell, pseudonym).toBe("a")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("are not given to a cell that is not configured", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(0)
      yield* directorySql(world.cells[0].database).register(["c"])
      const refused = yield* Effect.flip(assignBuckets(world.directory, cellsOf(world), "c", [7]))
      expect(refused).toMatchObject({ _tag: "AssignRefused", problem: "not-configured", cell: "c" })
      expect((yield* world.directory.buckets([7]))[0]?.cell).toBe("a")
    }).pipe(Effect.scoped, Effect.runPromise))
})
