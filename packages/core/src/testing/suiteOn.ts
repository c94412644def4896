import { Effect, type Layer, ManagedRuntime, type Scope } from "effect"
import { afterAll, describe } from "vitest"

/** Runs an effect on the suite's layer, in a scope of its own; rejects with its failure. */
export type Run<R> = <A, E>(effect: Effect.Effect<A, E, R | Scope.Scope>) => Promise<A>

/** Defines a suite over a layer that is built when it is first used, and closed at the end. */
export const suiteOn = <R>(title: string, layer: Layer.Layer<R, unknown>, define: (run: Run<R>) => void): void => {
  describe(title, () => {
    const runtime = ManagedRuntime.make(layer)
    afterAll(() => runtime.dispose())
    define((effect) => runtime.runPromise(Effect.scoped(effect)))
  })
}
