import { Effect } from "effect"
import { ProgressOutput } from "../../running/ProgressOutput.ts"

/** What a command moves before it assigns buckets. */
interface MoveEach {
  /** The cells that have the buckets now. */
  readonly from: ReadonlyArray<string>
  readonly to: string
  readonly buckets?: ReadonlyArray<number> | undefined
  readonly dryRun: boolean
}

/** Moves the owners of some cells to another one, with a progress bar on a terminal. */
export const moveEach = Effect.fnUntraced(function* ({ buckets, dryRun, from, to }: MoveEach) {
  const { moveOwners } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const line = yield* ProgressOutput
  const onProgress = (done: number, total: number) => Effect.sync(() => line?.draw(done, total, "people"))
  const reports = yield* Effect.forEach(from, (cell) =>
    moveOwners({ from: cell, to, buckets, dryRun, onProgress })
  ).pipe(Effect.ensuring(Effect.sync(() => line?.clear())))
  return {
    owners: reports.reduce((sum, { owners }) => sum + owners, 0),
    moved: reports.reduce((sum, { moved }) => sum + moved, 0),
    busy: reports.flatMap(({ busy }) => busy)
  }
})

/** The lines about people who could not be moved at the moment. */
export const busyLines = (busy: ReadonlyArray<string>): ReadonlyArray<string> =>
  busy.length === 0
    ? []
    : [
        ...busy.slice(0, 20).map((owner) => `${owner} is left: work of this person is running.`),
        "Run it again for those who are left."
      ]
