import type { DueInput, ResetInput } from "@parley/core/adapter"
import { Effect, Result } from "effect"
import { inPlace } from "../routing/byOwner.ts"
import { cursorAt, positionOf } from "./pagesOverAll.ts"
import type { Call, Method, Routes } from "../routing/Routes.ts"

/**
 * The ranges of accounts that are due for a reset, one database after another. A database that does not answer is left
 * out with a warning: its accounts stay due.
 */
export const dueOverAll = ({ all }: Routes, call: Call): Method => {
  const due = Effect.fnUntraced(function* (input: DueInput) {
    const places = yield* all
    const within = input.within === undefined ? undefined : yield* positionOf(places, input.within)
    const start = yield* positionOf(places, input.before ?? input.within)
    let before = input.before === undefined ? undefined : start.cursor
    for (const [index, place] of places.entries()) {
      if (index < start.index || (within !== undefined && within.index !== index)) continue
      const found = yield* Effect.result(
        inPlace(place, call.run(place, [{ ...input, before, within: within?.cursor }]))
      )
      before = undefined
      if (Result.isSuccess(found) && found.success !== undefined) return cursorAt(place, found.success as never)
      if (Result.isSuccess(found)) continue
      if (places.length === 1 || within !== undefined) return yield* Effect.fail(found.failure)
      yield* Effect.annotateLogs(Effect.logWarning("The accounts of a cell that does not answer were not reset."), {
        reason: "cell_unavailable",
        cell: place.name
      })
    }
    return undefined
  })
  return (input) => due(input as DueInput)
}

/** A reset of a range, in the database that it names. */
export const resetInItsCell = ({ all }: Routes, call: Call): Method => {
  const reset = Effect.fnUntraced(function* (input: ResetInput) {
    const places = yield* all
    const { cursor, index } = yield* positionOf(places, input.range)
    const place = places[index]
    if (place === undefined) return yield* Effect.die(new Error("A reset names no database."))
    return yield* inPlace(place, call.run(place, [{ ...input, range: cursor }]))
  })
  return (input) => reset(input as ResetInput)
}
