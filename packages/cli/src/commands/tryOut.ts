import { UnitOfWork } from "@parley/core/adapter"
import { Effect, Schema } from "effect"

/** Ends a unit of work that is not to be kept, with what it would have given. */
class TriedOut extends Schema.TaggedError<TriedOut>()("TriedOut", { result: Schema.Unknown }) {}

/**
 * Does what belongs to one person or, where `dryRun`, does it and takes it back: what is refused then is what would be
 * refused, and nothing is kept.
 */
export const tryOut = <A, E, R>(owner: string, dryRun: boolean, work: Effect.Effect<A, E, R>) =>
  dryRun
    ? UnitOfWork.use((unit) =>
        unit.run(
          owner,
          Effect.flatMap(work, (result) => Effect.fail(new TriedOut({ result })))
        )
      ).pipe(
        Effect.catchIf(
          (error): error is TriedOut => error instanceof TriedOut,
          ({ result }) => Effect.succeed(result as A)
        )
      )
    : work
