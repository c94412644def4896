import type { Merge, Take } from "@parley/core/adapter"
import { Effect, type Exit, Result } from "effect"
import { inCell, inCellOf, inPlace, inUnit, isHome } from "./byOwner.ts"
import { isMoved, movedAway } from "./cellFailures.ts"
import { CurrentUnit } from "./CurrentUnit.ts"
import { isDoubtful } from "./finalAnswers.ts"
import { sumOf } from "../merging/mergeResults.ts"
import type { Args, Call, Method, Place, Routes, Work } from "./Routes.ts"

interface OwnersRule {
  readonly owners: (...args: Args) => ReadonlyArray<string>
  readonly take: (take: Take, ...args: Args) => Args
  readonly merge: Merge
}

/** The items of one cell, by their places in the list of the call. */
interface Part {
  readonly owner: string
  readonly places: ReadonlyArray<number>
}

interface PartResult extends Part {
  readonly result: Result.Result<unknown, unknown>
}

/** A heartbeat whose cell did not answer is one whose rows another call is working on: it comes again. */
const NOT_BEATEN = { isHoldGone: false, isChatGone: false, length: undefined, stopAsked: false }

const merged = (merge: Merge, results: ReadonlyArray<PartResult>): Work => {
  const values = results.flatMap(({ result }) => (Result.isSuccess(result) ? [result.success] : []))
  const failed = results.find(({ result }) => Result.isFailure(result))
  if (failed !== undefined && (values.length === 0 || merge === "rows")) return Effect.fromResult(failed.result)
  if (merge === "rows") return Effect.succeed(values.flat())
  if (merge === "sum") return Effect.succeed(values.reduce(sumOf))
  const ordered: Array<unknown> = []
  for (const { places, result } of results) {
    const answers = Result.isSuccess(result) ? (result.success as ReadonlyArray<unknown>) : []
    for (const [index, place] of places.entries()) ordered[place] = answers[index] ?? NOT_BEATEN
  }
  return Effect.succeed(ordered)
}

/** The items of each cell. */
const partsOf = ({ directory }: Routes, owners: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(owners, (owner) => directory.cellOf(owner)),
    (cells): ReadonlyArray<Part> =>
      [...Map.groupBy(owners.keys(), (place) => cells[place])].map(([, places]) => ({
        owner: owners[places[0] ?? 0] ?? "",
        places
      }))
  )

/**
 * Runs work of several owners in one cell. It counts as refused if an answer may only mean that one of the owners lives
 * elsewhere: heartbeats and look-ups can be repeated.
 */
const together = (
  routes: Routes,
  cell: string,
  owners: ReadonlyArray<string>,
  use: (place: Place) => Work,
  isDoubtful: (exit: Exit.Exit<unknown, unknown>) => boolean
): Work =>
  inCell(routes, (place) => {
    const versions = new Map(owners.map((owner) => [owner, routes.directory.versionOf(owner)]))
    return Effect.flatMap(Effect.exit(inPlace(place, use(place))), (exit) => {
      if (!isDoubtful(exit)) return exit
      const asking = Effect.forEach(versions, ([owner, version]) => isHome(routes, cell, owner, version))
      return Effect.flatMap(asking, (home) => (home.includes(false) ? Effect.fail(movedAway()) : exit))
    })
  })(cell)

/**
 * Routes a method over several owners: the items of each cell go there, all cells at once. If a cell refuses its part
 * because an owner has moved, the items of that part are repeated one by one.
 */
export const byOwners = (routes: Routes, call: Call, { merge, owners: ownersOf, take }: OwnersRule): Method => {
  const run = (args: Args, part: Part): Effect.Effect<ReadonlyArray<PartResult>, unknown, unknown> => {
    const { owner, places } = part
    const chosen = new Set(places)
    const owners = ownersOf(...args)
    const taken = take((items) => items.filter((_, place) => chosen.has(place)), ...args)
    const isOne = places.length === 1
    const doubtful = (exit: Exit.Exit<unknown, unknown>) => isDoubtful(call.name, exit)
    const use = (place: Place) => call.run(place, taken)
    const routed = isOne
      ? inCellOf(routes, { owner, use, isDoubtful: doubtful })
      : Effect.flatMap(routes.directory.cellOf(owner), (cell) =>
          together(
            routes,
            cell,
            places.map((at) => owners[at] ?? owner),
            use,
            doubtful
          )
        )
    return Effect.flatMap(Effect.result(routed), (result) => {
      if (isOne || Result.isSuccess(result) || !isMoved(result.failure)) return Effect.succeed([{ ...part, result }])
      const single = (place: number) => run(args, { owner: owners[place] ?? owner, places: [place] })
      return Effect.map(Effect.forEach(places, single), (results) => results.flat())
    })
  }
  return (...args) =>
    Effect.flatMap(CurrentUnit, (unit) => {
      const owners = ownersOf(...args)
      if (unit !== undefined && owners.every((owner) => owner === unit.owner))
        return inUnit(unit, call.run(unit.place, args))
      if (owners.length === 0) return call.run(routes.global, args)
      return Effect.flatMap(partsOf(routes, owners), (parts) =>
        Effect.flatMap(
          Effect.forEach(parts, (part) => run(args, part), { concurrency: "unbounded" }),
          (results) => merged(merge, results.flat())
        )
      )
    })
}
