import type { AccountInUse, ErasedData, EraseInput, ListPeopleInput } from "@parley/core/adapter"
import { Effect } from "effect"
import type { KnownNames } from "../global/cellRows.ts"
import { askGlobal, askIn, following } from "./askGlobal.ts"
import { inPlace, withUnit } from "./byOwner.ts"
import type { Call, Method, Place, Routes } from "./Routes.ts"

const operation = "PersonalData.erase"

/** Lists people of all cells. The global database has the addresses with which they sign in. */
export const listPeople =
  (routes: Routes, inCells: Method): Method =>
  (arg) => {
    const input = arg as ListPeopleInput
    const { search } = input
    if (search?.includes("@") !== true) return inCells(input)
    const asked = askGlobal(routes, "PersonalData.list", routes.shared.personOf(search))
    return Effect.flatMap(asked, (also) => inCells({ ...input, also }))
  }

/**
 * Takes the names of an erased person out of the global database, and the person's events, which have no owner any more,
 * from the cell into it: reports about their payments arrive there.
 */
const forgetNames = (routes: Routes, place: Place, userId: string, { eventIds, keys, references }: KnownNames) => {
  const { botKeys, payments, takeOver } = routes.shared
  return Effect.gen(function* () {
    yield* askGlobal(routes, operation, payments.erase(userId, references))
    yield* askGlobal(routes, operation, botKeys.remove(keys))
    if (place !== routes.global && eventIds.length > 0)
      yield* askGlobal(routes, operation, takeOver(place.name, eventIds))
  })
}

/**
 * Erases a person in the cell, and from the rows in the global database that all people share. The rows of the ledger
 * stay in the cell, so the pseudonym is placed there. An erasure that fails at its end is repeated: it changes nothing in
 * the global database the second time. References become those of an erased person after the cell has committed, so
 * that the payments of a person whose erasure failed go on.
 */
export const erasePerson =
  (routes: Routes, call: Call): Method =>
  (arg) => {
    const { pseudonym, userId } = arg as EraseInput
    const { directory, global, marks, shared } = routes
    return withUnit(routes, userId, (unit) =>
      Effect.gen(function* () {
        const { place } = unit
        const claims = yield* askGlobal(routes, operation, shared.payments.claimsOf(userId))
        const names = yield* askIn(place.name, operation, shared.cell(place.name).namesOf(userId))
        const erased = (yield* call.run(place, [arg])) as ErasedData | AccountInUse
        if (erased._tag === "AccountInUse") return erased
        if (routes.cells.has(place.name)) yield* directory.keepIn(pseudonym, place.name)
        if (place !== global) {
          // Rows that the person left there by moving away.
          yield* inPlace(global, marks.eraseLeft(global.name, userId))
          yield* askGlobal(routes, operation, shared.erase(userId, pseudonym))
        }
        // Some claims may never have been linked in the cell.
        const references = [...new Set([...names.references, ...claims])]
        yield* following(routes, unit, forgetNames(routes, place, userId, { ...names, references }))
        return erased
      })
    )
  }
