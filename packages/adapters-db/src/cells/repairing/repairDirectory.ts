import { Effect } from "effect"
import { cellOf, Databases, inDatabase, type NamedDatabase, type OpenedCells } from "../Databases.ts"
import { copyAccess } from "../moving/copyAccess.ts"
import { checkIdentity, foundIn, noteCells } from "../administration/identifyCell.ts"
import { leftAlone } from "../administration/leftAlone.ts"
import { onCell } from "../administration/onCell.ts"
import { moving } from "../administration/moveOwners.ts"
import { repairOwner } from "./repairOwner.ts"
import { beginRepair, endRepair } from "./repairVersions.ts"
import { type CellFinding, verifyCells } from "../administration/verifyCells.ts"

/** Has the cell of each bucket know the blocks and sign-outs of people who have nothing but these. */
const gatherAccess = Effect.fnUntraced(function* (cells: OpenedCells) {
  const { buckets } = yield* cells.sql.read(0, 1)
  for (const to of cells.byName.values()) {
    const own = buckets.flatMap((name, bucket) => (name === to.name ? [bucket] : []))
    if (own.length === 0) continue
    for (const from of cells.byName.values())
      if (from !== to) yield* copyAccess(cellOf(from), cellOf(to), { buckets: own })
  }
})

/** Registers the cells that were added after the backup: their databases have their names. */
const registerLost = Effect.fnUntraced(function* (cells: OpenedCells, global: NamedDatabase) {
  yield* noteCells
  for (const [name, cell] of cells.configured) {
    if (cells.byName.has(name) || (yield* leftAlone(cell))?.database === "copy") continue
    if ((yield* onCell(cell, foundIn(cell))) !== undefined) yield* onCell(global, cells.sql.setState(name, "open"))
  }
  yield* noteCells
})

/**
 * Repairs a directory that is older than its cells: after the restore of a backup of the global database, or the loss of its
 * last changes. Places each owner where the owner's rows are, and then gives the directory a version above all that the
 * cells have seen. Servers refuse all requests until then, also if the repair is interrupted. An owner with rows in two cells is
 * placed in the one to which a later move brought them, if the ledger there continues the other one. Every cell has to
 * answer. Returns the number of owners; `onFinding` also gets the cell of a repaired one.
 */
export const repairDirectory = Effect.fnUntraced(function* <E, R>(
  onFinding: (finding: CellFinding, repairedTo: string | undefined) => Effect.Effect<void, E, R>
) {
  const { cells, global } = yield* Databases
  if (cells === undefined) return 0
  const { database } = cellOf(global)
  yield* registerLost(cells, global)
  const seen = yield* Effect.forEach(cells.byName.values(), checkIdentity)
  const repair = yield* beginRepair(database, Math.max(0, ...seen))
  yield* gatherAccess(cells)
  const owners = yield* verifyCells((finding) =>
    Effect.flatMap(inDatabase(global, repairOwner(cells, global, repair, finding)), (cell) => onFinding(finding, cell))
  )
  yield* cells.mend([...cells.byName.keys()])
  yield* endRepair(database, repair)
  yield* moving(() => cells.moves.finishMoves())
  return owners
})
