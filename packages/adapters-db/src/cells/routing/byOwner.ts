import { NO_PERSON, StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import { isMoved, named } from "./cellFailures.ts"
import { CurrentUnit, type Unit } from "./CurrentUnit.ts"
import type { Args, Call, Method, Place, Routes, Work } from "./Routes.ts"

const noSuchCell = (cell: string) =>
  new StorageFailed({
    operation: "Directory.cellOf",
    retryable: false,
    cause: new Error(`The directory names the cell "${cell}", which is not configured.`)
  })

/** Runs work in a cell by its name. */
const inCell =
  ({ cells }: Routes, use: (place: Place) => Work) =>
  (cell: string): Work => {
    const place = cells.get(cell)
    return place === undefined ? Effect.fail(noSuchCell(cell)) : use(place)
  }

/** Runs work in one database, whose name a failure gets. */
export const inPlace = (place: Place, work: Work): Work =>
  Effect.catch(work, (error) => Effect.fail(named(place.name, error)))

/**
 * Runs work in the cell of an owner, and once more in the cell that the global database names if the first one refused
 * it because the owner has moved.
 */
export const inCellOf = (
  routes: Routes,
  owner: string,
  use: (place: Place) => Work,
  mayRepeat: (error: unknown) => boolean = isMoved
): Work => {
  // Rows of no person, such as payments that wait for one, are in the global database.
  if (owner === NO_PERSON) return inPlace(routes.global, use(routes.global))
  const { directory } = routes
  const known = directory.known(owner)
  const second = inCell(routes, (place) => inPlace(place, use(place)))
  const first = inCell(routes, (place) =>
    Effect.catch(use(place), (error) =>
      mayRepeat(error) ? Effect.flatMap(directory.askAgain(owner), second) : Effect.fail(named(place.name, error))
    )
  )
  return known === undefined ? Effect.flatMap(directory.cellOf(owner), first) : first(known)
}

/** Runs a call in the unit's cell. A refusal is noted, so that the unit runs again as a whole. */
export const inUnit = (unit: Unit, work: Work): Work =>
  Effect.tapError(work, (error) =>
    Effect.sync(() => {
      unit.hasMoved ||= isMoved(error)
    })
  )

/** Routes a method whose rows are one owner's. */
export const byOwner =
  (routes: Routes, call: Call, ownerOf: (...args: Args) => string): Method =>
  (...args) =>
    Effect.flatMap(CurrentUnit, (unit) => {
      const owner = ownerOf(...args)
      if (unit?.owner === owner) return inUnit(unit, call.run(unit.place, args))
      return inCellOf(routes, owner, (place) => call.run(place, args))
    })

/** Units of work of an owner's cell. A refused one runs again as a whole: none of its calls is repeated by itself. */
export const unitsByOwner =
  (routes: Routes, call: Call): Method =>
  (...args) =>
    Effect.flatMap(CurrentUnit, (outer) => {
      const owner = args[0] as string
      const work = args.at(-1) as Work
      if (outer?.owner === owner) return inUnit(outer, call.run(outer.place, args))
      let begun: Unit | undefined
      const run = (place: Place) =>
        Effect.suspend(() => {
          begun = { owner, place, hasMoved: false }
          return call.run(place, [...args.slice(0, -1), Effect.provideService(work, CurrentUnit, begun)])
        })
      return inCellOf(routes, owner, run, (error) => begun?.hasMoved === true || isMoved(error))
    })
