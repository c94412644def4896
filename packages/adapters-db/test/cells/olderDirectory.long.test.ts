import { newUserId } from "@parley/core/testing"
import { Effect, Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import { repairDirectory } from "../../src/cells/repairing/repairDirectory.ts"
import { type CellFinding, verifyCells } from "../../src/cells/administration/verifyCells.ts"
import { cellsLayer } from "../../src/cells/cellsLayer.ts"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { type OpenCells, openCells } from "../../src/cells/openCells.ts"
import { administer } from "../administer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"
import { balanceOf, cutOff, nameOf, openAccount, spend } from "./peopleOfCells.ts"
import { inWorld } from "./restoredWorld.ts"

const run = Effect.runPromise

/** The findings, and the number of owners. */
const findingsOf = async (cells: Parameters<typeof cellsLayer>[0], repairs: boolean) => {
  const found: Array<readonly [owner: string, problem: CellFinding["problem"], repairedTo: string | undefined]> = []
  const note = (finding: CellFinding, repairedTo?: string) =>
    Effect.sync(() => void found.push([finding.owner, finding.problem, repairedTo]))
  const work = repairs ? repairDirectory(note) : verifyCells(note)
  await run(Effect.provide(work, Layer.fresh(cellsLayer(cells))))
  return found.toSorted()
}

/**
 * Calls of a person fail soon because the directory is older. Before, they may fail because connections were cut, and a server
 * that has the newest place in memory may answer; none answers with an older balance.
 */
const refused = async (stores: OpenCells, person: string, newest: number): Promise<void> => {
  for (let call = 0; ; call += 1) {
    const result = await run(Effect.result(stores.creditRecords.account(person)))
    if (Result.isSuccess(result)) expect(result.success.allowance).toBe(newest)
    else if (result.failure._tag === "StorageFailed" && !result.failure.retryable) return
    expect(call).toBeLessThan(1_000)
  }
}

describe.runIf(hasPostgres)("a global database from a backup", { timeout: 180_000 }, () => {
  it("has every request refused until the directory is repaired; then each person has one account, the newest", () =>
    run(
      Effect.scoped(
        Effect.flatMap(Effect.all([migratedPostgres, migratedPostgres]), ([first, second]) =>
          Effect.promise(async () => {
            const cells = {
              global: "first",
              cells: { first: { url: first, maxConnections: 3 }, second: { url: second, maxConnections: 3 } }
            }
            const server = () => openCells({ ...cells, directory: { refreshMs: 0 } })
            const before = await server()
            const [ann, bob, cem, dan, eve] = Array.from({ length: 5 }, newUserId) as [
              string,
              string,
              string,
              string,
              string
            ]
            await before.assign("second", [bucketOf(eve)])
            for (const person of [ann, bob, cem, eve]) await openAccount(before, person)
            await before.close()
            await administer([
              cutOff(nameOf(first)),
              `CREATE DATABASE ${nameOf(first)}_backup TEMPLATE ${nameOf(first)}`
            ])

            const running = await server()
            // It has read the directory, and is not used again before the backup is there. Then it reads the changes first.
            const idle = await openCells({ ...cells, directory: { refreshMs: -10_000 } })
            await balanceOf(idle, bob)
            for (const person of [bob, cem]) await running.move(person, "second")
            await running.eraseMoved({ olderThanMs: 0 })
            for (const person of [bob, ann]) await spend(running, person, "later")
            await running.move(eve, "first")
            await running.assign("second", [bucketOf(dan)])
            await openAccount(running, dan)
            await administer([
              cutOff(nameOf(first)),
              `ALTER DATABASE ${nameOf(first)} RENAME TO ${nameOf(first)}_lost`,
              `ALTER DATABASE ${nameOf(first)}_backup RENAME TO ${nameOf(first)}`
            ])

            for (const stores of [running, idle]) await refused(stores, bob, 95)
            for (const person of [ann, bob, dan])
              expect(await run(Effect.flip(running.creditRecords.account(person)))).toMatchObject({
                _tag: "StorageFailed"
              })
            await expect(server()).rejects.toMatchObject({ _tag: "CellRefused", problem: "older-directory" })

            const repaired = [
              [bob, "twice", "second"],
              [cem, "twice", "second"],
              [dan, "elsewhere", "second"],
              [eve, "lost", "second"]
            ]
            expect(await findingsOf(cells, true)).toEqual(repaired.toSorted())
            expect(await findingsOf(cells, false)).toEqual([])
            const after = await server()
            expect(await Promise.all([ann, bob, cem, dan, eve].map((person) => balanceOf(after, person)))).toEqual([
              100, 95, 100, 100, 100
            ])
            await expect.poll(() => balanceOf(running, bob), { timeout: 20_000 }).toBe(95)
            for (const person of [ann, bob, dan, eve]) await spend(after, person, "again")
            expect(await after.eraseMoved({ olderThanMs: 0 })).toBe(2)
            expect(await findingsOf(cells, false)).toEqual([])
            await after.close()
            for (const stores of [running, idle]) await stores.close()
            await administer([cutOff(`${nameOf(first)}_lost`), `DROP DATABASE ${nameOf(first)}_lost`])
          })
        )
      )
    ))

  it("is noticed by idle servers also if only the tables were restored, and changes that do not take place hide it from none", () =>
    inWorld(async (world) => {
      const bob = newUserId()
      const running = await world.server()
      const idle = await world.server(-10_000)
      await openAccount(running, bob)
      await balanceOf(idle, bob)
      await world.sql("CREATE TABLE parley.kept AS TABLE parley.directory")
      await running.move(bob, "second")
      await world.sql(
        "TRUNCATE parley.directory, parley.placements",
        "INSERT INTO parley.directory TABLE parley.kept",
        `DELETE FROM parley.moved_owners WHERE person = '${bob}'`
      )
      await world.superseded(bob, 10)
      await refused(idle, bob, 100)
      await expect(world.server()).rejects.toMatchObject({ _tag: "CellRefused", problem: "older-directory" })
    }))

  it("is noticed before the next answer by a server whose calls failed meanwhile", () =>
    inWorld(async (world) => {
      const bob = newUserId()
      const running = await world.server()
      await openAccount(running, bob)
      const restore = await world.backup()
      const idle = await world.server(-10_000)
      expect(await balanceOf(idle, bob)).toBe(100)
      await running.move(bob, "second")
      await spend(running, bob, "later")
      await world.away()
      await expect(balanceOf(idle, bob)).rejects.toMatchObject({ _tag: "StorageFailed", cell: "first" })
      await restore()
      for (let call = 0; call < 3; call += 1)
        await expect(balanceOf(idle, bob)).rejects.toMatchObject({ _tag: "StorageFailed" })
    }))
})
