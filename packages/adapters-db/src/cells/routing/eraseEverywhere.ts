import type { AccountInUse, ErasedData, EraseInput } from "@parley/core/adapter"
import { Effect } from "effect"
import { byOwner, inPlace } from "./byOwner.ts"
import type { Call, Method, Place, Routes, Work } from "./Routes.ts"

/**
 * Erases a person in the cell, then in the global database: sign-ins and the audit log are there. The rows of the ledger
 * stay in the cell, so the pseudonym is placed there. Both happen before the cell commits; an erasure that fails at the
 * end is repeated, and changes nothing there the second time.
 */
export const eraseEverywhere = (routes: Routes, call: Call): Method => {
  const { directory, global, marks } = routes
  const inCell: Call = {
    name: call.name,
    run: (place: Place, args): Work =>
      Effect.gen(function* () {
        const [{ pseudonym, userId }] = args as readonly [EraseInput]
        const erased = (yield* call.run(place, args)) as ErasedData | AccountInUse
        if (erased._tag === "AccountInUse") return erased
        if (routes.cells.has(place.name)) yield* directory.keepIn(pseudonym, place.name)
        if (place === global) return erased
        // Rows that the person left there by moving away would be in the way.
        yield* inPlace(global, marks.eraseLeft(global.name, userId))
        const rest = (yield* inPlace(global, call.run(global, args))) as ErasedData | AccountInUse
        return rest._tag === "Erased" ? { ...erased, others: erased.others + rest.others } : erased
      })
  }
  return byOwner(routes, inCell, (input) => (input as EraseInput).userId)
}
