import { Context, Effect } from "effect"
import type { Place, Work } from "./Routes.ts"

/** A unit of work that runs in one cell. */
export interface Unit {
  readonly owner: string
  readonly place: Place
  /** Set if a call within was refused because its owner has moved: the whole unit has to run again. */
  hasMoved: boolean
  /** Payment events that were concluded within. */
  readonly concluded: Set<string>
  /** Work in the global database after the commit. Something else repeats it if the process ends before. */
  readonly afterwards: Array<Work>
}

/** Runs the work that follows the commit of a unit. */
export const runAfterwards = ({ afterwards, place }: Unit): Effect.Effect<void, never, unknown> =>
  Effect.forEach(
    afterwards,
    (work) =>
      Effect.catchCause(work, (cause) =>
        Effect.annotateLogs(
          Effect.logWarning("The global database does not know yet what a cell has done; upkeep repeats it.", cause),
          { cell: place.name }
        )
      ),
    { discard: true }
  )

/** The unit of work around a call; undefined if there is none. */
export const CurrentUnit = Context.Reference<Unit | undefined>("@parley/adapters-db/cells/CurrentUnit", {
  defaultValue: () => undefined
})
