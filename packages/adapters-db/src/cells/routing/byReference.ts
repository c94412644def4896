import type { ReceiveInput } from "@parley/core/adapter"
import { Effect } from "effect"
import { inCellOf, inPlace, inUnit } from "./byOwner.ts"
import { CurrentUnit } from "./CurrentUnit.ts"
import { overAll } from "../merging/overAll.ts"
import { callOf, type Call, type Method, type Place, type Routes, type Work } from "./Routes.ts"

const ownerOf = callOf("billing", "ownerOf")

/**
 * The database in which one of the references is linked. The directory has no references yet, so each database is asked:
 * their links are written in the cell of their owner.
 */
const placeOf = ({ all }: Routes, references: unknown): Effect.Effect<Place | undefined, unknown, unknown> =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(
      all,
      (place) => Effect.map(inPlace(place, ownerOf.run(place, [references])), (owner) => ({ place, owner })),
      { concurrency: "unbounded" }
    )
    return found.find(({ owner }) => owner !== undefined)?.place
  })

/** The owner of a reference, in whichever database it is linked. */
export const ownerOfReference = (routes: Routes): Method => overAll(routes, ownerOf, "first")

/**
 * Payments: within a unit of work in the unit's database; otherwise where one of the references is linked, or in the
 * cell of the person whom the payment names. A payment of no person waits in the global database.
 */
export const byReference =
  (routes: Routes, call: Call): Method =>
  (input) =>
    Effect.flatMap(CurrentUnit, (unit): Work => {
      if (unit !== undefined) return inUnit(unit, call.run(unit.place, [input]))
      const { claimed, references } = input as ReceiveInput
      const run = (place: Place) => call.run(place, [input])
      return Effect.flatMap(placeOf(routes, references), (place) => {
        if (place !== undefined) return inPlace(place, run(place))
        return claimed === undefined
          ? inPlace(routes.global, run(routes.global))
          : inCellOf(routes, { owner: claimed, use: run })
      })
    })
