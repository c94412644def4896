/** Cells that came from a split, or were split before, are split again before the rows that are left are erased. */
import { newUserId, testedLedger } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { finishMoves } from "../../src/cells/moving/finishMoves.ts"
import { moveOwner } from "../../src/cells/moving/moveOwner.ts"
import { type Cell, ownedDigests, ownerTables } from "../../src/cells/moving/ownerTables.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { openCopiedWorld, replicaOn } from "./copiedWorld.ts"
import { reply, type Stores, upload } from "./movingOwners.ts"

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

const tablesOf = ({ database, owner: tables }: Cell, owner: string) =>
  tables.asOwner((sql) =>
    Effect.gen(function* () {
      const found = yield* ownerTables(sql, database.schema, tables.schemaName)
      return [...(yield* ownedDigests(sql, found, owner)).keys()].length
    })
  )

describe.runIf(hasPostgres)("a cell that is split again", { timeout: 120_000 }, () => {
  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true]
  ])("gives each person one cell (rows erased between: %s, a global database of its own: %s)", (erases, hasGlobal) =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1, { hasGlobal })
      const stores = world.servers[0]?.routed as Stores
      const { directory, split } = world
      const [a, b] = world.cells
      const owners = Array.from({ length: 24 }, () => newUserId())
      for (const owner of owners) {
        const open = Effect.flatMap(testedLedger, (l) => l.open({ userId: owner, tier: "free", allowance: 1000 }))
        yield* Effect.provide(Effect.andThen(open, reply(owner, new Set())), stores)
        yield* Effect.provide(upload(owner, new Set()), stores)
      }
      const full = yield* tablesOf(a, owners[0] ?? "")
      const cells = new Map<string, Cell>([["a", a]])
      const erase = Effect.suspend(() =>
        erases ? Effect.forEach(cells.values(), (cell) => eraseMoved(cell, 0)) : Effect.void
      )
      const divide = Effect.fnUntraced(function* (
        source: Cell,
        url: string,
        id: string,
        buckets: ReadonlyArray<number>
      ) {
        const { copy, replica: target, url: own } = yield* replicaOn(source, url, id)
        yield* splitCell({ ...split, source, target, buckets })
        cells.set(id, copy)
        yield* erase
        return own
      })
      yield* splitCell(split)
      cells.set("b", b)
      yield* erase
      // A person moves to the new cell and back, and one away from it.
      const lower = owners.filter((owner) => bucketOf(owner) < 2048)
      const upper = owners.filter((owner) => bucketOf(owner) >= 2048)
      for (const owner of lower.slice(0, 3)) yield* moveOwner({ owner, from: a, to: b, directory })
      for (const owner of lower.slice(0, 1)) yield* moveOwner({ owner, from: b, to: a, directory })
      for (const owner of upper.slice(0, 2)) yield* moveOwner({ owner, from: b, to: a, directory })
      yield* divide(b, world.urls["b"] ?? "", "d", range(3072, 4096))
      const e = yield* divide(a, world.urls["a"] ?? "", "e", range(1024, 2048))
      yield* divide(cells.get("e") ?? a, e, "f", range(1500, 2000))
      yield* finishMoves(cells, directory, split.splits, undefined)
      for (const cell of cells.values()) yield* eraseMoved(cell, 0)
      const faults: Array<unknown> = []
      for (const owner of owners) {
        const { cell: home } = yield* directory.placement(owner)
        for (const cell of cells.values()) {
          const count = yield* tablesOf(cell, owner)
          const [asked] = yield* cell.database.statement(`SELECT ${cell.database.schema}.lives_here($1) AS here`, [
            owner
          ])
          const expected = cell.id === home ? full : 0
          if (count !== expected) faults.push({ owner, home, bucket: bucketOf(owner), cell: cell.id, count })
          if (cell.id === home && asked?.["here"] !== true) faults.push({ owner, home, refused: true })
          if (cell.id === home)
            yield* cell.database.statement(`SELECT ${cell.database.schema}.prove_account($1)`, [owner])
        }
      }
      expect(faults).toEqual([])
      const counts = yield* Effect.forEach(cells.values(), ({ database: { schema, statement } }) =>
        Effect.map(
          statement<{ counted: number; accounts: number }>(
            `SELECT (SELECT coalesce(sum(accounts), 0)::integer FROM ${schema}.credit_openings) AS counted,
               (SELECT count(*)::integer FROM ${schema}.credit_accounts) AS accounts`
          ),
          ([row]) => row
        )
      )
      for (const row of counts) expect(row?.counted).toBe(row?.accounts)
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
