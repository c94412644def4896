import { Effect, Scope } from "effect"

/**
 * Acquires a value that the scope releases when it closes; an interruption cannot separate the two. It replaces
 * `Effect.acquireRelease` for releases without services, because that copies all services of a request for each
 * release.
 */
export const acquireInScope = <A>(
  acquire: Effect.Effect<A>,
  release: (held: A) => Effect.Effect<unknown>
): Effect.Effect<A, never, Scope.Scope> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.scope, (scope) => Effect.tap(acquire, (held) => Scope.addFinalizer(scope, release(held))))
  )
