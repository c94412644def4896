import { NO_PERSON, StorageFailed } from "@parley/core/adapter"
import { Effect, Exit } from "effect"
import { isLocked, isMoved, movedAway, named } from "./cellFailures.ts"
import { CurrentUnit, runAfterwards, type Unit } from "./CurrentUnit.ts"
import { isDoubtful as isDoubtfulAnswer } from "./finalAnswers.ts"
import { type Args, type Call, callOf, type Method, type Place, type Routes, type Work } from "./Routes.ts"

const noSuchCell = (cell: string) =>
  new StorageFailed({
    operation: "Directory.cellOf",
    retryable: false,
    cause: new Error(`The directory names the cell "${cell}", which is not configured.`)
  })

/** Runs work in a cell by its name. */
export const inCell =
  ({ cells }: Routes, use: (place: Place) => Work) =>
  (cell: string): Work => {
    const place = cells.get(cell)
    return place === undefined ? Effect.fail(noSuchCell(cell)) : use(place)
  }

/** Runs work in one database, whose name a failure gets. */
export const inPlace = (place: Place, work: Work): Work =>
  Effect.catch(work, (error) => Effect.fail(named(place.name, error)))

/** The error with which work failed; undefined if it was interrupted, or died. */
const errorOf = (exit: Exit.Failure<unknown, unknown>): unknown =>
  exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error

/** Milliseconds for which a call waits until its owner, who is being moved, has arrived. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 5
const LONGEST_PAUSE_MS = 100

/** The tries of a call so far. */
interface Tries {
  readonly until: number
  readonly pauseMs: number
  /** The cell that the global database named before the present try. */
  readonly asked: string | undefined
}

/** A call, or a whole unit of work, in the cell of an owner. */
export interface OwnersWork {
  readonly owner: string
  readonly use: (place: Place) => Work
  /** True if a failure means that the owner has moved; the cell's refusal unless given. */
  readonly hasMoved?: (error: unknown) => boolean
  /** True if the answer is not final before the cell was asked for the owner; none unless given. */
  readonly isDoubtful?: (exit: Exit.Exit<unknown, unknown>) => boolean
}

/** Asks the global database for the cell of an owner, and tries the call there, or in the same cell a little later. */
const again = (
  routes: Routes,
  work: OwnersWork,
  { place, tries, wait, exit }: { place: Place; tries: Tries; wait: boolean; exit: Exit.Exit<unknown, unknown> }
): Work =>
  Effect.flatMap(routes.directory.askAgain(work.owner), (asked) => {
    const isSame = asked === place.name
    // The answer was given after the global database had named this cell, which it still does.
    if (!wait && isSame && tries.asked === asked) return exit
    if (wait && isSame && performance.now() > tries.until)
      return Effect.mapError(exit, (error) => named(place.name, error))
    const pauseMs = wait && isSame ? tries.pauseMs : 0
    const next = { until: tries.until, pauseMs: Math.min(LONGEST_PAUSE_MS, tries.pauseMs * 2), asked }
    const trying = inCell(routes, (present) => tryIn(routes, work, present, next))(asked)
    return pauseMs === 0 ? trying : Effect.andThen(Effect.sleep(pauseMs), trying)
  })

/** True if an owner lives in a cell, and has since the directory had a version: also while a call ran. */
export const isHome = ({ marks }: Routes, cell: string, owner: string, version: number) =>
  Effect.map(marks.hereSince(cell, owner), (since) => since !== undefined && since <= version)

const tryIn = (routes: Routes, work: OwnersWork, place: Place, tries: Tries | undefined): Work => {
  const { hasMoved = isMoved, isDoubtful = () => false, owner, use } = work
  const version = routes.directory.versionOf(owner)
  return Effect.flatMap(Effect.exit(use(place)), (exit) => {
    const error = Exit.isFailure(exit) ? errorOf(exit) : undefined
    const refused = error !== undefined && hasMoved(error)
    const locked = error !== undefined && isLocked(error)
    if (!refused && !locked && !isDoubtful(exit)) return Effect.mapError(exit, (failure) => named(place.name, failure))
    const soFar = tries ?? { until: performance.now() + PATIENCE_MS, pauseMs: FIRST_PAUSE_MS, asked: undefined }
    const retry = again(routes, work, { place, tries: soFar, wait: refused || locked, exit })
    if (refused) return retry
    const asking = inPlace(place, isHome(routes, place.name, owner, version))
    return Effect.flatMap(asking, (home) =>
      home === true ? Effect.mapError(exit, (failure) => named(place.name, failure)) : retry
    )
  })
}

/**
 * Runs work in the cell of an owner. If the cell refuses it because the owner has moved, or its answer may only mean
 * that, the global database is asked for the owner, and the work runs where it says. While the owner is being moved, it
 * waits for the end of the move.
 */
export const inCellOf = (routes: Routes, work: OwnersWork): Work => {
  const { owner, use } = work
  // Rows of no person, such as payments that wait for one, are in the global database.
  if (owner === NO_PERSON) return inPlace(routes.global, use(routes.global))
  const { directory, only } = routes
  if (only !== undefined) return inPlace(only, use(only))
  const known = directory.known(owner)
  const first = inCell(routes, (place) => tryIn(routes, work, place, undefined))
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
      const isDoubtful = (exit: Exit.Exit<unknown, unknown>) => isDoubtfulAnswer(call.name, exit)
      return inCellOf(routes, { owner, use: (place) => call.run(place, args), isDoubtful })
    })

/** Fails if the owner does not live in a cell. */
const requireHere = ({ marks }: Routes, { name }: Place, owner: string): Work =>
  owner === NO_PERSON
    ? Effect.void
    : Effect.flatMap(marks.hereSince(name, owner), (since) =>
        since === undefined ? Effect.fail(movedAway()) : Effect.void
      )

/**
 * Units of work of an owner's cell. Each first asks the cell for the owner, within its transaction: a move waits for the
 * transactions that run, so that all answers within are final. A refused unit runs again as a whole: none of its calls
 * is repeated by itself.
 */
export const unitsByOwner =
  (routes: Routes, call: Call): Method =>
  (...args) =>
    Effect.flatMap(CurrentUnit, (outer) => {
      const owner = args[0] as string
      const work = args.at(-1) as Work
      if (outer?.owner === owner) return inUnit(outer, call.run(outer.place, args))
      let begun: Unit | undefined
      const use = (place: Place) =>
        Effect.suspend(() => {
          const unit: Unit = { owner, place, hasMoved: false, concluded: new Set(), afterwards: [] }
          begun = unit
          const inside = Effect.andThen(requireHere(routes, place, owner), work)
          const within = call.run(place, [...args.slice(0, -1), Effect.provideService(inside, CurrentUnit, unit)])
          return Effect.tap(within, () => runAfterwards(unit))
        })
      const running = inCellOf(routes, { owner, use, hasMoved: (error) => begun?.hasMoved === true || isMoved(error) })
      return owner === NO_PERSON ? routes.unowned.withPermit(running) : running
    })

const unitOfWork = callOf("unitOfWork", "run")

/** Runs work within a unit of work of an owner: the one around the call, or a new one. */
export const withUnit = (routes: Routes, owner: string, work: (unit: Unit) => Work): Work =>
  Effect.flatMap(CurrentUnit, (outer) => {
    if (outer?.owner === owner) return inUnit(outer, work(outer))
    const inNew = Effect.flatMap(CurrentUnit, (unit) =>
      unit === undefined ? Effect.die(new Error("There is no unit of work.")) : inUnit(unit, work(unit))
    )
    return unitsByOwner(routes, unitOfWork)(owner, inNew)
  })
