import { Context } from "effect"
import type { Place } from "./Routes.ts"

/** A unit of work that runs in one cell. */
export interface Unit {
  readonly owner: string
  readonly place: Place
  /** Set if a call within was refused because its owner has moved: the whole unit has to run again. */
  hasMoved: boolean
}

/** The unit of work around a call; undefined if there is none. */
export const CurrentUnit = Context.Reference<Unit | undefined>("@parley/adapters-db/cells/CurrentUnit", {
  defaultValue: () => undefined
})
