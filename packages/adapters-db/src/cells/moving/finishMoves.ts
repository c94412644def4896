import { Effect } from "effect"
import type { MoveSql } from "../directory/moveSql.ts"
import type { SplitSql } from "../directory/splitSql.ts"
import { settleSplits } from "../splitting/settleSplits.ts"
import { finishAssignments } from "./assignBuckets.ts"
import { MoveRefused } from "./moveErrors.ts"
import { finishMove } from "./moveOwner.ts"
import { isUnderWay, type MarkedMove, unfinishedMoves } from "./ownerStates.ts"
import type { Cell } from "./ownerTables.ts"

/** Does every piece of work before it fails: a cell that does not answer is no reason to leave the others. */
export const everyOne = <Item, A, E>(items: Iterable<Item>, work: (item: Item) => Effect.Effect<A, E>) =>
  Effect.flatMap(
    Effect.forEach(items, (item) => Effect.result(work(item))),
    (results) => Effect.forEach(results, (result) => Effect.fromResult(result))
  )

export const sumOf = (counts: ReadonlyArray<number>): number => counts.reduce((total, count) => total + count, 0)

interface Finishing {
  readonly cells: ReadonlyMap<string, Cell>
  readonly directory: MoveSql
  /** Moves that may still run are left if an age is given. */
  readonly olderThanMs: number | undefined
}

/** Ends one move; returns 0 if it may still run. */
const finishOne = Effect.fnUntraced(function* (
  { cells, directory, olderThanMs }: Finishing,
  cell: Cell,
  move: MarkedMove
) {
  const { owner, state } = move
  const other = cells.get(move.cell)
  if (other === undefined) return yield* new MoveRefused({ problem: "not-configured", names: [move.cell] })
  if (olderThanMs !== undefined) {
    if (yield* isUnderWay(cell, owner, olderThanMs)) return 0
    // A cell that does not answer copies nothing, and the owner must be able to write in the other one.
    if (yield* Effect.orElseSucceed(isUnderWay(other, owner, olderThanMs), () => false)) return 0
  }
  const [from, to] = state === "moving" ? [cell, other] : [other, cell]
  return yield* Effect.as(finishMove({ owner, from, to, directory }), 1)
})

const finishIn = Effect.fnUntraced(function* (input: Finishing, cell: Cell) {
  const moves = yield* unfinishedMoves(cell, input.olderThanMs ?? 0)
  return sumOf(yield* everyOne(moves, (move) => finishOne(input, cell, move)))
})

/**
 * Ends the moves, assignments and splits that were interrupted, in the cells that answer; returns the number of owners of
 * moves. A move that was ended in one of its cells is not found in the other one any more.
 */
export const finishMoves = (
  cells: ReadonlyMap<string, Cell>,
  directory: MoveSql,
  splits: SplitSql,
  olderThanMs: number | undefined
) => {
  // The marks of a split that an older directory does not know end when its buckets have newer versions.
  const changes = (cell: Cell) =>
    Effect.andThen(
      finishAssignments(directory, cell, olderThanMs ?? 0),
      Effect.as(settleSplits(directory, splits, cell, olderThanMs ?? 0), 0)
    )
  const counts = everyOne(cells.values(), (cell) =>
    everyOne([finishIn({ cells, directory, olderThanMs }, cell), changes(cell)], (work) => work)
  )
  return Effect.map(counts, (found) => sumOf(found.flat()))
}
