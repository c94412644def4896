/** A cell is split while moves of single people from and to it are interrupted at every step. */
import { newUserId, testedLedger } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { finishMoves } from "../../src/cells/moving/finishMoves.ts"
import { moveOwner } from "../../src/cells/moving/moveOwner.ts"
import { type Cell, ownedDigests, ownerTables } from "../../src/cells/moving/ownerTables.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { installJobQueue } from "../../src/jobs/startBoss.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"
import { openCopiedWorld } from "./copiedWorld.ts"
import { cellOn, reply, STEPS, type Stores, turn, upload } from "./movingOwners.ts"
import { isUpper } from "./splitWorld.ts"

const third = Effect.gen(function* () {
  const cell = yield* cellOn("c", yield* migratedPostgres, 4)
  yield* installJobQueue.pipe(
    Effect.provideService(Database, cell.database),
    Effect.provideService(DatabaseOwner, cell.owner)
  )
  yield* enableFence(cell)
  return cell
})

const newOwnerIn = (upper: boolean): string => {
  for (;;) {
    const owner = newUserId()
    if (isUpper(owner) === upper) return owner
  }
}

const digestsIn = ({ database, owner: tables }: Cell, owner: string) =>
  tables.asOwner((sql) =>
    Effect.gen(function* () {
      const found = yield* ownerTables(sql, database.schema, tables.schemaName)
      const digests = yield* ownedDigests(sql, found, owner)
      // The version of the account counts its writes, also those of marks.
      return JSON.stringify([...digests].filter(([name]) => name !== "credit_accounts").toSorted())
    })
  )

describe.runIf(hasPostgres)("a cell that is split beside interrupted moves", { timeout: 300_000 }, () => {
  it.each([false, true])("gives each person one cell with all rows (a global database of its own: %s)", (hasGlobal) =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1, { hasGlobal })
      const stores = world.servers[0]?.routed as Stores
      const [a, b] = world.cells
      const c = yield* third
      const { directory } = world
      const shared = hasGlobal ? yield* cellOn("global", world.urls["global"] ?? "", 2) : a
      yield* shared.database.statement(`INSERT INTO ${shared.database.schema}.cells (name) VALUES ('c')`)
      const moves: Array<{ owner: string; from: Cell; to: Cell; at: (typeof STEPS)[number]; digests: string }> = []
      for (const at of STEPS)
        for (const upper of [true, false])
          for (const [from, to] of [
            [a, c],
            [c, a]
          ] as const) {
            const owner = newOwnerIn(upper)
            const ledger = Effect.flatMap(testedLedger, (l) => l.open({ userId: owner, tier: "free", allowance: 1000 }))
            yield* Effect.provide(ledger, stores)
            yield* Effect.provide(reply(owner, new Set()), stores)
            yield* Effect.provide(turn(owner, new Set()), stores)
            yield* Effect.provide(upload(owner, new Set()), stores)
            if (from === c) yield* moveOwner({ owner, from: a, to: c, directory })
            moves.push({ owner, from, to, at, digests: yield* digestsIn(from, owner) })
          }
      for (const { at, ...move } of moves) {
        const onStep = (step: string) => (step === at ? Effect.die("killed") : Effect.void)
        yield* Effect.exit(moveOwner({ ...move, directory, onStep }))
      }
      yield* splitCell(world.split)
      const cells = new Map([a, b, c].map((cell) => [cell.id, cell]))
      yield* finishMoves(cells, directory, world.split.splits, undefined)
      for (const cell of cells.values()) yield* eraseMoved(cell, 0)
      const faults: Array<unknown> = []
      for (const { at, digests, from, owner } of moves) {
        const { cell: home } = yield* directory.placement(owner)
        for (const cell of cells.values()) {
          const found = yield* digestsIn(cell, owner)
          const [lives] = yield* cell.database.statement(`SELECT ${cell.database.schema}.lives_here($1) AS here`, [
            owner
          ])
          const isHome = cell.id === home
          if (isHome !== (found !== "[]") || (isHome && found !== digests && from === cell))
            faults.push({ at, from: from.id, upper: isUpper(owner), home, cell: cell.id, found, digests })
          // A cell that the owner has never lived in has no mark.
          if (isHome && lives?.["here"] !== true) faults.push({ at, home, cell: cell.id, refuses: true })
          if (found !== "[]" && !isHome && lives?.["here"] === true)
            faults.push({ at, home, cell: cell.id, accepts: true })
          if (isHome) yield* cell.database.statement(`SELECT ${cell.database.schema}.prove_account($1)`, [owner])
        }
      }
      expect(faults).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
