import { Effect } from "effect"
import type { DatabaseError } from "../../database/Database.ts"
import { Databases, type OpenedCells } from "../Databases.ts"
import type { CellNotOpen } from "../directory/directorySql.ts"
import type { AssignRefused, MoveRefused, OwnerBusy } from "../moving/moveErrors.ts"
import { configuredCell } from "./addCell.ts"
import { onCell } from "./onCell.ts"
import { ownersIn } from "./ownersIn.ts"

type MoveFailed = AssignRefused | CellNotOpen | DatabaseError | MoveRefused | OwnerBusy

/** Calls the moves of the cells, with their errors. One that has begun ends before the caller is interrupted. */
export const moving = <A>(call: () => Promise<A>): Effect.Effect<A, MoveFailed> =>
  Effect.uninterruptible(Effect.tryPromise({ try: call, catch: (error) => error as MoveFailed }))

const PAGE = 500

/** The owners who live in a cell, page by page; of some buckets if they are given. */
const eachOwner = <E, R>(
  cells: OpenedCells,
  from: string,
  buckets: ReadonlyArray<number> | undefined,
  use: (owner: string) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const cell = yield* configuredCell(cells, from)
    for (let after = ""; ;) {
      const page = yield* onCell(cell, ownersIn({ after, limit: PAGE, buckets }))
      for (const owner of page) if ((yield* cells.directory.askAgain(owner)) === from) yield* use(owner)
      if (page.length < PAGE) return
      after = page.at(-1) ?? ""
    }
  })

export interface MoveOwnersInput {
  readonly from: string
  readonly to: string
  /** Only the owners of these buckets. */
  readonly buckets?: ReadonlyArray<number> | undefined
  /** Counts the owners, and moves none. */
  readonly dryRun: boolean
  readonly onProgress: (moved: number, total: number) => Effect.Effect<void>
}

/**
 * Moves the owners who live in a cell to another one, one after another. Owners whose work would be cut off are left, and
 * named: repeat it for them.
 */
export const moveOwners = Effect.fnUntraced(function* ({ buckets, dryRun, from, onProgress, to }: MoveOwnersInput) {
  const { cells } = yield* Databases
  const report = { owners: 0, moved: 0, busy: [] as Array<string> }
  if (cells === undefined || from === to) return report
  yield* configuredCell(cells, to)
  yield* eachOwner(cells, from, buckets, () => Effect.sync(() => void (report.owners += 1)))
  if (dryRun) return report
  yield* eachOwner(cells, from, buckets, (owner) =>
    Effect.gen(function* () {
      const moved = yield* moving(() => cells.moves.move(owner, to)).pipe(
        Effect.as(true),
        Effect.catchTag("OwnerBusy", () => Effect.succeed(false))
      )
      if (moved) report.moved += 1
      else report.busy.push(owner)
      yield* onProgress(report.moved, report.owners)
    })
  )
  return report
})
