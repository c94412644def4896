import { Effect } from "effect"
import { NotReady } from "../problems/errors.ts"

/** Time for which a result is cached, and time limit of a check. */
const ANSWER = { forMs: 1_000, withinMs: 5_000 }

/** The name of the problem in a check's error, as `DatabaseNotReady` has it; never foreign text. */
const problemOf = (error: unknown): { readonly problem?: string } => {
  const { problem } = Object(error) as { readonly problem?: unknown }
  return typeof problem === "string" && /^[a-z-]{1,40}$/.test(problem) ? { problem } : {}
}

/** Takes a function that rejects if a dependency does not answer. */
export const makeReadiness = (ready: () => Promise<void>): Effect.Effect<void, NotReady> => {
  const ask = cachedCheck(ready, ANSWER)
  return Effect.tryPromise({ try: ask, catch: (cause) => new NotReady({ ...problemOf(cause), cause }) })
}

/**
 * Runs a check at most once at a time, and returns its result, success or failure, for `forMs` milliseconds. A check
 * that takes longer than `withinMs` fails.
 */
export const cachedCheck = (
  ask: () => Promise<void>,
  options: { forMs: number; withinMs: number }
): (() => Promise<void>) => {
  const { forMs, withinMs } = options
  let answer: Promise<void> | undefined
  const forget = () => {
    answer = undefined
  }
  return () => {
    if (answer !== undefined) return answer
    const asked = withTimeLimit(ask, withinMs)
    answer = asked
    const forgetLater = () => void setTimeout(forget, forMs).unref()
    asked.then(forgetLater, forgetLater)
    return asked
  }
}

const withTimeLimit = async (ask: () => Promise<void>, withinMs: number): Promise<void> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error("No answer came in time.")), withinMs)
  try {
    await Promise.race([ask(), promise])
  } finally {
    clearTimeout(timer)
  }
}
