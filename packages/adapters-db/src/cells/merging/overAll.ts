import type { Merge } from "@parley/core/adapter"
import { Effect, Result } from "effect"
import { inPlace } from "../routing/byOwner.ts"
import { sumOf, tallyOf } from "./mergeResults.ts"
import type { Args, Call, Method, Place, Routes, Work } from "../routing/Routes.ts"

/** The result of a call in one database. */
export interface Answer {
  readonly place: Place
  readonly result: Result.Result<unknown, unknown>
}

/** Runs work in several databases at once; none of them ends another one's. */
export const answersOf = (places: ReadonlyArray<Place>, use: (place: Place) => Work) =>
  Effect.forEach(
    places,
    (place) => Effect.map(Effect.result(inPlace(place, use(place))), (result): Answer => ({ place, result })),
    { concurrency: "unbounded" }
  )

const absence = (answers: ReadonlyArray<Answer>) => {
  const cells = answers.flatMap(({ place, result }) => (Result.isFailure(result) ? [place.name] : []))
  return Effect.annotateLogs(Effect.logWarning("Some cells did not take part in work on all of them."), {
    reason: "cell_unavailable",
    cells: cells.join(" ")
  })
}

/** The results of all databases; fails if one of them failed. */
const allOf = (answers: ReadonlyArray<Answer>) => Effect.forEach(answers, ({ result }) => Effect.fromResult(result))

/** The results of those that answered, with a warning about the others; fails if none answered. */
export const answeredOf = (answers: ReadonlyArray<Answer>): Effect.Effect<ReadonlyArray<unknown>, unknown> => {
  const found = answers.flatMap(({ result }) => (Result.isSuccess(result) ? [result.success] : []))
  if (found.length === answers.length) return Effect.succeed(found)
  return found.length === 0 ? allOf(answers) : Effect.as(absence(answers), found)
}

/** The most rows that a call asks for. */
const limitOf = ([first]: Args): number => {
  const limit = typeof first === "object" && first !== null ? (first as { readonly limit?: unknown }).limit : first
  return typeof limit === "number" ? limit : Number.POSITIVE_INFINITY
}

/** Returns the first result that any database has. Fails if none has one and a database did not answer. */
const oneOf = (answers: ReadonlyArray<Answer>, wanted: (result: unknown) => boolean, otherwise: unknown): Work => {
  const found = answers.find(({ result }) => Result.isSuccess(result) && wanted(result.success))
  return found === undefined ? Effect.as(allOf(answers), otherwise) : Effect.fromResult(found.result)
}

/**
 * Sweeps, heartbeats and registrations go on in the databases that answer, and come again for the others. A report or a
 * list without some of its rows would be wrong, so it fails.
 */
const merges: Partial<Readonly<Record<Merge, (answers: ReadonlyArray<Answer>, args: Args) => Work>>> = {
  none: (answers) => Effect.asVoid(answeredOf(answers)),
  sum: (answers) => Effect.map(answeredOf(answers), (results) => results.reduce(sumOf)),
  tally: (answers) => Effect.map(allOf(answers), tallyOf),
  any: (answers) => oneOf(answers, (result) => result === true, false),
  first: (answers) => oneOf(answers, (result) => result !== undefined, undefined),
  rows: (answers, args) => Effect.map(allOf(answers), (results) => results.flat().slice(0, limitOf(args)))
}

/** Routes a method that reaches the rows of all people. */
export const overAll = ({ all }: Routes, call: Call, merge: Merge): Method => {
  const merged = merges[merge]
  if (merged === undefined) throw new TypeError(`There is no rule for ${call.name}.`)
  return (...args) =>
    all.pipe(
      Effect.flatMap((places) => answersOf(places, (place) => call.run(place, args))),
      Effect.flatMap((answers) => merged(answers, args))
    )
}
