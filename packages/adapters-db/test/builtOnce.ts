import { Layer, ManagedRuntime } from "effect"
import { afterAll } from "vitest"

/** A layer that is built when it is first used, and the same for all suites of a file or block that use it, until its end. */
export const builtOnce = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> => {
  const runtime = ManagedRuntime.make(layer)
  afterAll(() => runtime.dispose())
  return Layer.effectContext(runtime.contextEffect)
}
