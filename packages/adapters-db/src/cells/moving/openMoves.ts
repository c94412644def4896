import { Effect } from "effect"
import { bucketOf } from "../directory/bucketOf.ts"
import type { MoveSql, Placement } from "../directory/moveSql.ts"
import type { SplitSql } from "../directory/splitSql.ts"
import { assignBuckets, checkAssignment } from "./assignBuckets.ts"
import { countLeft, eraseMoved } from "./eraseMoved.ts"
import { everyOne, finishMoves, sumOf } from "./finishMoves.ts"
import { AssignRefused, MoveRefused } from "./moveErrors.ts"
import { countMove, moveOwner } from "./moveOwner.ts"
import { settleState, unfinishedMoves } from "./ownerStates.ts"
import type { Cell } from "./ownerTables.ts"

/** An owner whose move runs or was interrupted. */
export interface UnfinishedMove {
  readonly owner: string
  /** The cell that says so. */
  readonly cell: string
  /** The other cell of the move. */
  readonly other: string
  /** `moving` away from `cell`, or `arriving` there. */
  readonly state: "moving" | "arriving"
}

/** The number of owners who live in another cell, and whose rows wait in this one to be erased. */
export interface LeftOwners {
  readonly cell: string
  readonly owners: number
}

export interface MoveOptions {
  /** Changes nothing, and returns the number of rows that would be moved now. */
  readonly dryRun?: boolean | undefined
  /**
   * The most milliseconds to wait for running work of the owner, and for running transactions; 5,000 unless given. Keep it
   * well below the age at which `finishMoves` ends moves.
   */
  readonly patienceMs?: number | undefined
}

export interface Moves {
  /**
   * Moves an owner with all rows to another cell; returns the number of rows, 0 if the owner lives there already. Rejects
   * with `CellNotOpen`, `MoveRefused`, `OwnerBusy` or `DatabaseError`; then the owner lives where it did before.
   */
  move(owner: string, to: string, options?: MoveOptions): Promise<number>
  /** The moves that run or were interrupted; of each cell, the longest first. */
  unfinishedMoves(): Promise<ReadonlyArray<UnfinishedMove>>
  /** The cells in which rows wait to be erased, with the numbers of their owners. */
  leftOwners(): Promise<ReadonlyArray<LeftOwners>>
  /**
   * Ends each move, assignment and split that was interrupted: as a success if the directory has changed, otherwise it is
   * cancelled. With `olderThanMs`, two minutes for example, those that may still run are left: the ones that were begun or
   * continued within this time, and those that copy rows. Without it, they are cancelled as well. Returns the number of
   * owners. If a cell does not answer, the others are dealt with before the call rejects.
   */
  finishMoves(options?: { readonly olderThanMs?: number | undefined }): Promise<number>
  /**
   * Erases what owners left in former cells who moved at least `olderThanMs` milliseconds ago: longer than a server may
   * not have heard of it. In each cell, a call erases the rows of up to 250 owners, who wait longest. Returns the number of
   * owners; call it again until that is 0. If a cell does not answer, the others are dealt with before the call rejects.
   */
  eraseMoved(options: { readonly olderThanMs: number }): Promise<number>
  /**
   * Gives buckets, 0 to 4,095, to a cell, for new owners. Rejects with `CellNotOpen`; with `AssignRefused` if a cell that
   * loses one has owners in it; with `MoveRefused` if a cell has no fence; with `OwnerBusy`. With `dryRun` it changes
   * nothing, and is refused as if it would.
   */
  assign(
    cell: string,
    buckets: ReadonlyArray<number>,
    options?: { readonly dryRun?: boolean | undefined }
  ): Promise<void>
}

const unfinishedIn = (cells: ReadonlyMap<string, Cell>) =>
  Effect.map(
    Effect.forEach(cells.values(), (cell) =>
      Effect.map(unfinishedMoves(cell, 0), (rows) =>
        rows.map(({ cell: other, ...row }): UnfinishedMove => ({ ...row, cell: cell.id, other }))
      )
    ),
    (found) => found.flat()
  )

const leftIn = (cells: ReadonlyMap<string, Cell>) =>
  Effect.map(
    Effect.forEach(cells.values(), (cell) =>
      Effect.map(countLeft(cell), (owners): LeftOwners => ({ cell: cell.id, owners }))
    ),
    (counts) => counts.filter(({ owners }) => owners > 0)
  )

/** Fails if a split takes the owner along, or one of the buckets. */
const checkSplits = ({ underWay }: SplitSql) => ({
  owner: (owner: string, { version }: Placement) =>
    Effect.flatMap(underWay, (splits) => {
      const taking = splits.find(({ buckets }) => version === 0 && buckets.includes(bucketOf(owner)))
      return taking === undefined
        ? Effect.void
        : Effect.fail(new MoveRefused({ problem: "splitting", names: [taking.source] }))
    }),
  buckets: (wanted: ReadonlyArray<number>) =>
    Effect.flatMap(underWay, (splits) => {
      const taking = splits.find(({ buckets }) => wanted.some((bucket) => buckets.includes(bucket)))
      return taking === undefined
        ? Effect.void
        : Effect.fail(new AssignRefused({ cell: taking.source, problem: "splitting", owners: [] }))
    })
})

/**
 * The functions of moves over cells, as promises. `refresh` has this process read the directory, and `present` are the cells
 * that it has; all of them unless given.
 */
export const openMoves = (
  cells: ReadonlyMap<string, Cell>,
  directory: MoveSql,
  splits: SplitSql,
  refresh: Effect.Effect<void, unknown>,
  present: () => ReadonlyMap<string, Cell> = () => cells
): Moves => {
  const check = checkSplits(splits)
  const cellOf = (name: string) => {
    const cell = cells.get(name)
    return cell === undefined
      ? Effect.fail(new MoveRefused({ problem: "not-configured", names: [name] }))
      : Effect.succeed(cell)
  }
  const run = <A, E>(work: Effect.Effect<A, E>) => Effect.runPromise(Effect.ensuring(work, Effect.ignore(refresh)))
  const move = (owner: string, name: string, { dryRun = false, patienceMs }: MoveOptions) =>
    Effect.gen(function* () {
      const placement = yield* directory.placement(owner)
      const [from, to] = [yield* cellOf(placement.cell), yield* cellOf(name)]
      if (from === to) {
        // An earlier move may have ended between the flip and its last steps: the cells still refuse the owner's writes.
        if (!dryRun)
          yield* Effect.forEach([to, ...present().values()], (cell) => settleState(cell, owner, placement), {
            discard: true
          })
        return 0
      }
      yield* directory.checkOpen(name)
      yield* check.owner(owner, placement)
      const input = { owner, from, to, directory, patienceMs }
      return yield* dryRun ? countMove(input) : moveOwner(input)
    })
  return {
    move: (owner, to, options = {}) => run(move(owner, to, options)),
    unfinishedMoves: () => Effect.runPromise(unfinishedIn(present())),
    leftOwners: () => Effect.runPromise(leftIn(present())),
    finishMoves: ({ olderThanMs } = {}) => run(finishMoves(present(), directory, splits, olderThanMs)),
    eraseMoved: ({ olderThanMs }) =>
      Effect.runPromise(
        Effect.map(
          everyOne(present().values(), (cell) => eraseMoved(cell, olderThanMs)),
          sumOf
        )
      ),
    assign: (cell, buckets, { dryRun = false } = {}) => {
      const work = dryRun ? checkAssignment : assignBuckets
      return run(Effect.andThen(check.buckets(buckets), work(directory, present(), cell, buckets)))
    }
  }
}
