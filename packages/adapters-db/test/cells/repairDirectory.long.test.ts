import { newUserId } from "@parley/core/testing"
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { repairDirectory } from "../../src/cells/repairing/repairDirectory.ts"
import { cellsLayer } from "../../src/cells/cellsLayer.ts"
import { Databases } from "../../src/cells/Databases.ts"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { Database, type Row } from "../../src/database/Database.ts"
import { hasPostgres } from "../databases.ts"
import { balanceOf, openAccount, spend } from "./peopleOfCells.ts"
import { inWorld } from "./restoredWorld.ts"

const run = Effect.runPromise

const older = { _tag: "CellRefused", problem: "older-directory" }

const sortedUsers = (count: number) => Array.from({ length: count }, newUserId).toSorted()

describe.runIf(hasPostgres)("the repair of an older directory", { timeout: 180_000 }, () => {
  it("has running servers, and servers that start after an interruption, refuse all requests before its end", () =>
    inWorld(async (world) => {
      const [ann = "", bob = ""] = sortedUsers(2)
      const before = await world.server()
      for (const person of [ann, bob]) await openAccount(before, person)
      const restore = await world.backup()
      for (const person of [ann, bob]) await before.move(person, "second")
      await spend(before, bob, "later")
      expect(await balanceOf(before, bob)).toBe(95)
      await restore()
      await expect
        .poll(() => run(Effect.flip(before.creditRecords.account(bob))), { timeout: 20_000 })
        .toMatchObject({
          _tag: "StorageFailed",
          retryable: false
        })
      const served: Array<unknown> = []
      const look = Effect.promise(async () => {
        for (let call = 0; call < 3; call += 1)
          served.push((await run(Effect.exit(before.creditRecords.account(bob))))._tag)
      })
      await expect(world.repair(() => Effect.andThen(look, Effect.fail("interrupted")))).rejects.toBe("interrupted")
      expect(served).toEqual(["Failure", "Failure", "Failure"])
      await expect(world.server()).rejects.toMatchObject(older)
      expect((await world.repair()).map(([owner]) => owner)).toEqual([bob])
      expect(await world.verify()).toEqual([])
      const after = await world.server()
      for (const server of [before, after]) {
        await expect.poll(() => balanceOf(server, bob), { timeout: 20_000 }).toBe(95)
        expect(await balanceOf(server, ann)).toBe(100)
      }
    }))

  it("registers a cell again that was added after the backup, and places its people there", () =>
    inWorld(async (world) => {
      const bob = newUserId()
      const before = await world.server()
      await openAccount(before, bob)
      const restore = await world.backup()
      await before.move(bob, "third")
      await spend(before, bob, "later")
      await restore()
      await world.sql("DELETE FROM parley.cells WHERE name = 'third'")
      expect(await world.verify()).toEqual([[bob, "twice", undefined]])
      expect(await world.repair()).toEqual([[bob, "twice", "third"]])
      expect(await world.verify()).toEqual([])
      expect(await balanceOf(await world.server(), bob)).toBe(95)
    }))

  it("finds people who have nothing but a project", () =>
    inWorld(async (world) => {
      const bob = newUserId()
      const before = await world.server()
      const restore = await world.backup()
      const project = { id: crypto.randomUUID(), name: "Tea", instructions: "", documentIds: [] }
      await run(before.projects.create(bob, project, 1))
      await before.move(bob, "second")
      await run(before.projects.change(bob, project.id, { name: "Coffee" }))
      await restore()
      expect(await world.repair()).toMatchObject([[bob, expect.anything(), "second"]])
      expect(await world.verify()).toEqual([])
      const after = await world.server()
      expect(await run(after.projects.list(bob))).toMatchObject([{ name: "Coffee" }])
    }))

  it("marks the older rows also if it was interrupted after the owner was placed", () =>
    inWorld(async (world) => {
      const bob = newUserId()
      const before = await world.server()
      await openAccount(before, bob)
      const restore = await world.backup()
      await before.move(bob, "second")
      await spend(before, bob, "later")
      await restore()
      await world.sql(`INSERT INTO parley.placements (owner, cell, version) VALUES ('${bob}', 'second', 1000)`)
      expect(await world.repair()).toEqual([[bob, "twice", "second"]])
      expect(await world.verify()).toEqual([])
      const after = await world.server()
      expect(await after.eraseMoved({ olderThanMs: 0 })).toBe(1)
      expect(await balanceOf(after, bob)).toBe(95)
    }))

  it("places an owner who has moved away everywhere in the cell that has the rows still", () =>
    inWorld(async (world) => {
      const eve = newUserId()
      const before = await world.server()
      await before.assign("second", [bucketOf(eve)])
      await openAccount(before, eve)
      const restore = await world.backup()
      await before.move(eve, "third")
      await before.eraseMoved({ olderThanMs: 0 })
      await spend(before, eve, "later")
      await before.move(eve, "first")
      await restore()
      expect(await world.repair()).toEqual([[eve, "lost", "third"]])
      const after = await world.server()
      await after.eraseMoved({ olderThanMs: 0 })
      expect(await balanceOf(after, eve)).toBe(95)
      expect(await world.verify()).toEqual([])
    }))

  it("has servers serve again that have read versions which no cell has seen", () =>
    inWorld(async (world) => {
      const ann = newUserId()
      const before = await world.server()
      await openAccount(before, ann)
      const restore = await world.backup()
      for (let turn = 0; turn < 5; turn += 1) await world.sql(`UPDATE parley.directory SET version = version + 1`)
      await balanceOf(before, ann)
      await expect.poll(() => balanceOf(before, ann)).toBe(100)
      await restore()
      await expect
        .poll(() => run(Effect.exit(before.creditRecords.account(ann))), { timeout: 20_000 })
        .toMatchObject({ _tag: "Failure" })
      expect(await world.repair()).toEqual([])
      await expect.poll(() => balanceOf(before, ann), { timeout: 20_000 }).toBe(100)
    }))

  it("is asked for by a cell that has lost buckets to the restored one", () =>
    inWorld(async (world) => {
      const stores = await world.server()
      await stores.assign("second", [7])
      const restore = await world.backup()
      await stores.assign("first", [7])
      await restore()
      await expect(world.server()).rejects.toMatchObject(older)
      expect(await world.repair()).toEqual([])
      await world.server()
    }))

  it("is asked for by a cell that got buckets", () =>
    inWorld(async (world) => {
      const stores = await world.server()
      const restore = await world.backup()
      await stores.assign("second", [7])
      await restore()
      await expect(world.server()).rejects.toMatchObject(older)
    }))

  it("lets no blocked person in: neither one with rows, nor one without", () =>
    inWorld(async (world) => {
      const [bob = "", dora = ""] = sortedUsers(2)
      const stores = await world.server()
      await openAccount(stores, bob)
      const restore = await world.backup()
      await stores.move(bob, "second")
      await stores.assign("second", [bucketOf(dora)])
      await world.sqlIn("second", `SELECT parley.change_access('${dora}', 'block')`)
      await restore()
      await world.sql(`SELECT parley.change_access('${bob}', 'block')`)
      await world.repair()
      for (const [cell, person] of [
        ["second", bob],
        ["first", dora]
      ] as const)
        await world.sqlIn(
          cell,
          `DO $$ BEGIN IF NOT EXISTS (SELECT FROM parley.access WHERE person = sha256(convert_to('${person}', 'UTF8'))
             AND blocked_at IS NOT NULL) THEN RAISE EXCEPTION 'not blocked in ${cell}'; END IF; END $$`
        )
    }))

  it("finds what running servers have left: they erase no rows, and end no moves by the older directory", () =>
    inWorld(async (world) => {
      const eve = newUserId()
      const running = await world.server()
      await running.assign("second", [bucketOf(eve)])
      await running.assign("third", [bucketOf(eve) ^ 1])
      await openAccount(running, eve)
      const restore = await world.backup()
      await running.move(eve, "first")
      await running.assign("second", [bucketOf(eve) ^ 1])
      await restore()
      await expect
        .poll(() => run(Effect.exit(running.creditRecords.account(eve))), { timeout: 20_000 })
        .toMatchObject({ _tag: "Failure" })
      for (let call = 0; call < 10; call += 1) {
        await running.finishMoves().catch(() => undefined)
        await running.eraseMoved({ olderThanMs: 0 }).catch(() => undefined)
      }
      await expect(world.server()).rejects.toMatchObject(older)
      await world.repair()
      expect(await balanceOf(await world.server(), eve)).toBe(100)
    }))

  it.each(["arriving", "copied", "home"] as const)(
    "ends moves between other cells than that of the directory, which died at the step %s",
    (step) =>
      inWorld(async (world) => {
        const [ann = "", bob = ""] = sortedUsers(2)
        const stores = await world.server()
        await openAccount(stores, ann)
        const restore = await world.backup()
        await openAccount(stores, bob)
        for (const person of [ann, bob]) await stores.move(person, "second")
        await stores.eraseMoved({ olderThanMs: 0 })
        for (const person of [ann, bob]) await spend(stores, person, "later")
        for (const person of [ann, bob]) await world.interruptMove(person, "second", "third", step)
        await restore()
        await world.repair()
        const after = await world.server()
        expect(await after.unfinishedMoves()).not.toContainEqual(expect.objectContaining({ state: "moving" }))
        await after.eraseMoved({ olderThanMs: 0 })
        expect([await after.unfinishedMoves(), await after.leftOwners()]).toEqual([[], []])
        expect(await world.verify()).toEqual([])
        for (const person of [ann, bob]) {
          await spend(after, person, "last")
          expect(await balanceOf(after, person)).toBe(90)
        }
      })
  )

  it("leaves an owner who moved after the rows and before the directory were read", () =>
    inWorld(async (world) => {
      const ann = newUserId()
      const stores = await world.server()
      await openAccount(stores, ann)
      const layer = Layer.fresh(cellsLayer(world.cells))
      const found: Array<unknown> = []
      await run(
        Effect.scoped(
          Effect.gen(function* () {
            const databases = Context.get(yield* Layer.build(layer), Databases)
            const database = Context.get(databases.global.services, Database)
            const statement: typeof database.statement = <R extends Row>(
              text: string,
              params?: ReadonlyArray<unknown>
            ) =>
              Effect.andThen(
                text.includes("placements WHERE owner = ANY")
                  ? Effect.promise(() => stores.move(ann, "second"))
                  : Effect.void,
                database.statement<R>(text, params)
              )
            const services = Context.add(databases.global.services, Database, { ...database, statement })
            yield* repairDirectory((finding, to) => Effect.sync(() => void found.push([finding.problem, to]))).pipe(
              Effect.provideService(Databases, { ...databases, global: { ...databases.global, services } })
            )
          })
        )
      )
      expect(found).toEqual([["elsewhere", undefined]])
      expect(await world.verify()).toEqual([])
      await spend(stores, ann, "later")
      expect(await stores.eraseMoved({ olderThanMs: 0 })).toBe(1)
      expect(await balanceOf(stores, ann)).toBe(95)
    }))
})
