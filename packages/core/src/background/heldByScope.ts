import { Effect, Scope } from "effect"

/**
 * What `acquire` gives, until the scope closes; nothing comes between having it and its release. As
 * `Effect.acquireRelease` for what is released without services: that would copy all services of a request to release one thing.
 */
export const heldByScope = <A>(
  acquire: Effect.Effect<A>,
  release: (held: A) => Effect.Effect<unknown>
): Effect.Effect<A, never, Scope.Scope> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.scope, (scope) => Effect.tap(acquire, (held) => Scope.addFinalizer(scope, release(held))))
  )
