import { Context, Effect } from "effect"
import { NotReady } from "../problems/errors.ts"
import { cachedCheck } from "./cachedCheck.ts"

/** How long an answer counts, and how long it may take. */
const ANSWER = { forMs: 1_000, withinMs: 5_000 }

/** Whether everything the server depends on answers. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Looks at most once a second. */
    readonly check: Effect.Effect<void, NotReady>
  }
>()("@parley/adapters-http/environment/Readiness") {}

/** What a check names in `problem`, as `DatabaseNotReady` does; nothing of another's text. */
const problemOf = (error: unknown): { readonly problem?: string } => {
  const { problem } = Object(error) as { readonly problem?: unknown }
  return typeof problem === "string" && /^[a-z-]{1,40}$/.test(problem) ? { problem } : {}
}

/** Takes what rejects where something does not answer. */
export const makeReadiness = (ready: () => Promise<void>): Readiness["Service"] => {
  const ask = cachedCheck(ready, ANSWER)
  return { check: Effect.tryPromise({ try: ask, catch: (cause) => new NotReady({ ...problemOf(cause), cause }) }) }
}
