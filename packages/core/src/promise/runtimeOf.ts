import type { ManagedRuntime } from "effect"
import type { ParleyServices } from "../parleyLayer.ts"
import type { Parley } from "./Parley.ts"

/** The services of a Parley, as a runtime. */
export type ParleyRuntime = ManagedRuntime.ManagedRuntime<ParleyServices, never>

/** Under a name that two copies of this package share. */
const RUNTIME = Symbol.for("@parley/core/runtime")

export const withRuntime = (parley: Parley, runtime: ParleyRuntime): Parley =>
  Object.assign(parley, { [RUNTIME]: runtime })

/** The services behind a Parley of `createParley`: for programs in Effect, and for the HTTP adapter. */
export const runtimeOf = (parley: Parley): ParleyRuntime => {
  const runtime = (parley as { readonly [RUNTIME]?: ParleyRuntime })[RUNTIME]
  if (runtime === undefined) throw new TypeError("Expected a Parley of createParley.")
  return runtime
}
