import { UnitOfWork } from "@parley/core/adapter"
import { IsTrial } from "@parley/core/effect"
import { Effect, Schema } from "effect"

/** The failure that ends the unit of work of a dry run and carries its result. */
class TriedOut extends Schema.TaggedError<TriedOut>()("TriedOut", { result: Schema.Unknown }) {}

/**
 * Runs `work` for one person. With `dryRun` the work is rolled back afterwards, so that a dry run is refused exactly if
 * the real run would be, and changes nothing.
 */
export const tryOut = <A, E, R>(owner: string, dryRun: boolean, work: Effect.Effect<A, E, R>) =>
  dryRun
    ? UnitOfWork.use((unit) =>
        unit.run(
          owner,
          Effect.flatMap(work, (result) => Effect.fail(new TriedOut({ result })))
        )
      ).pipe(
        Effect.provideService(IsTrial, true),
        Effect.catchIf(
          (error): error is TriedOut => error instanceof TriedOut,
          ({ result }) => Effect.succeed(result as A)
        )
      )
    : work
