import { Context, Effect } from "effect"
import { NotReady } from "../problems/errors.ts"
import { cachedCheck } from "./cachedCheck.ts"

/** Time for which a result is cached, and time limit of a check. */
const ANSWER = { forMs: 1_000, withinMs: 5_000 }

/** Checks that all dependencies of the server answer. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Looks at most once a second. */
    readonly check: Effect.Effect<void, NotReady>
  }
>()("@parley/adapters-http/environment/Readiness") {}

/** The name of the problem in a check's error, as `DatabaseNotReady` has it; never foreign text. */
const problemOf = (error: unknown): { readonly problem?: string } => {
  const { problem } = Object(error) as { readonly problem?: unknown }
  return typeof problem === "string" && /^[a-z-]{1,40}$/.test(problem) ? { problem } : {}
}

/** Takes a function that rejects if a dependency does not answer. */
export const makeReadiness = (ready: () => Promise<void>): Readiness["Service"] => {
  const ask = cachedCheck(ready, ANSWER)
  return { check: Effect.tryPromise({ try: ask, catch: (cause) => new NotReady({ ...problemOf(cause), cause }) }) }
}
