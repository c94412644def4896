import { Effect, Result, Schedule } from "effect"
import { inPlace } from "../routing/byOwner.ts"
import type { Call, Method, Place, Routes } from "../routing/Routes.ts"

/** A worker asks a cell that does not answer again after this time, and looks for one that has not joined. */
const AGAIN = "5 seconds"

/** Waits until the directory has a cell. */
const joined = ({ directory }: Routes, { name }: Place) =>
  Effect.ignore(directory.refresh).pipe(
    Effect.map(() => directory.hasJoined(name)),
    Effect.repeat({ schedule: Schedule.spaced(AGAIN), until: (hasJoined) => hasJoined })
  )

const waiting = ({ name }: Place) =>
  Effect.annotateLogs(Effect.logWarning("The jobs of a cell wait until the cell answers."), {
    reason: "cell_unavailable",
    cell: name
  })

/**
 * Works on the jobs of every database, each by a worker of its own. Those that do not answer are asked again until the
 * scope closes; fails if none answers. The work on a cell that is not in the directory begins when it has joined.
 */
export const workOverAll =
  (routes: Routes, call: Call): Method =>
  (handlers) =>
    Effect.gen(function* () {
      const all = yield* routes.all
      const begin = (place: Place) => inPlace(place, call.run(place, [handlers]))
      const beginLater = (place: Place) => Effect.ignore(Effect.retry(begin(place), Schedule.spaced(AGAIN)))
      const begun = yield* Effect.forEach(
        all,
        (place) => Effect.map(Effect.result(begin(place)), (result) => ({ place, result })),
        { concurrency: "unbounded" }
      )
      const failed = begun.filter(({ result }) => Result.isFailure(result))
      if (failed.length === all.length && failed[0] !== undefined) return yield* Effect.fromResult(failed[0].result)
      for (const { place } of failed) yield* Effect.forkScoped(Effect.andThen(waiting(place), beginLater(place)))
      for (const place of routes.cells.values())
        if (!all.includes(place)) yield* Effect.forkScoped(Effect.andThen(joined(routes, place), beginLater(place)))
    })
