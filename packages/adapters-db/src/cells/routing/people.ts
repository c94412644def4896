import type { AccountInUse, ErasedData, EraseInput, ListPeopleInput } from "@parley/core/adapter"
import { Effect } from "effect"
import type { KnownNames } from "../global/cellRows.ts"
import { eventOf, eventReference } from "../global/paymentDirectory.ts"
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
 * The names of a person in the cell, and those that the directory has besides: some claims may never have been linked. Each
 * event of another cell is claimed, so that no copy of it is applied for another person until it is in the global database. If
 * the process ends before, the repetition of the erasure finds the events by these claims.
 */
const withClaims = (routes: Routes, place: Place, userId: string, { eventIds, keys, references }: KnownNames) => {
  const { payments } = routes.shared
  return Effect.gen(function* () {
    if (place !== routes.global && eventIds.length > 0)
      yield* askGlobal(routes, operation, payments.claim([{ userId, references: eventIds.map(eventReference) }]))
    const claims = yield* askGlobal(routes, operation, payments.claimsOf(userId))
    return {
      keys,
      references: [...new Set([...references, ...claims])],
      eventIds: [...new Set([...eventIds, ...claims.flatMap(eventOf)])]
    } satisfies KnownNames
  })
}

/**
 * Takes the names of an erased person out of the global database, and the person's events, which have no owner any more,
 * from the cell into it: reports about their payments arrive there.
 */
const forgetNames = (routes: Routes, place: Place, userId: string, { eventIds, keys, references }: KnownNames) => {
  const { botKeys, payments, takeOver } = routes.shared
  return Effect.gen(function* () {
    // The events before the claims: until an event is here, its claim leads to the cell, which knows it.
    if (place !== routes.global && eventIds.length > 0)
      yield* askGlobal(routes, operation, takeOver(place.name, eventIds))
    yield* askGlobal(routes, operation, payments.erase(userId, references))
    yield* askGlobal(routes, operation, botKeys.remove(keys))
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
        const cell = shared.cell(place.name)
        // An event is applied before its name is read, or finds the person erased.
        yield* askIn(place.name, operation, cell.lock([userId]))
        const names = yield* askIn(place.name, operation, cell.namesOf(userId))
        const erased = (yield* call.run(place, [arg])) as ErasedData | AccountInUse
        if (erased._tag === "AccountInUse") return erased
        if (routes.cells.has(place.name)) yield* directory.keepIn(pseudonym, place.name)
        if (place !== global) {
          // Rows that the person left there by moving away.
          yield* inPlace(global, marks.eraseLeft(global.name, userId))
          yield* askGlobal(routes, operation, shared.erase(userId, pseudonym))
        }
        const all = yield* withClaims(routes, place, userId, names)
        yield* following(routes, unit, forgetNames(routes, place, userId, all))
        return erased
      })
    )
  }
