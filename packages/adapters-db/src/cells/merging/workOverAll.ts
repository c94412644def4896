import { Effect, Result, Schedule } from "effect"
import { inPlace } from "../routing/byOwner.ts"
import type { Call, Method, Routes } from "../routing/Routes.ts"

/** A worker asks a cell that does not answer again after this time. */
const AGAIN = "5 seconds"

/**
 * Works on the jobs of every database, each by a worker of its own. Those that do not answer are asked again until the
 * scope closes; fails if none answers.
 */
export const workOverAll =
  ({ all }: Routes, call: Call): Method =>
  (handlers) =>
    Effect.gen(function* () {
      const begin = (place: (typeof all)[number]) => inPlace(place, call.run(place, [handlers]))
      const begun = yield* Effect.forEach(
        all,
        (place) => Effect.map(Effect.result(begin(place)), (result) => ({ place, result })),
        { concurrency: "unbounded" }
      )
      const failed = begun.filter(({ result }) => Result.isFailure(result))
      if (failed.length === all.length && failed[0] !== undefined) return yield* Effect.fromResult(failed[0].result)
      for (const { place } of failed) {
        const warning = Effect.annotateLogs(Effect.logWarning("The jobs of a cell wait until the cell answers."), {
          reason: "cell_unavailable",
          cell: place.name
        })
        yield* Effect.forkScoped(
          Effect.andThen(warning, Effect.retry(begin(place), Schedule.spaced(AGAIN))).pipe(Effect.ignore)
        )
      }
    })
