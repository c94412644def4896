import { OperatorReports, type WorkFinding } from "@parley/core/effect"
import { Effect } from "effect"
import type { ParleyRuntime, ReadinessCheck } from "./HttpOptions.ts"
import { NotReady } from "../problems/errors.ts"

/** Time for which a result is cached, and time limit of a check. */
const ANSWER = { forMs: 1_000, withinMs: 5_000 }

/** The name of the problem in a check's error, as `DatabaseNotReady` has it; never foreign text. */
const problemOf = (error: unknown): { readonly problem?: string } => {
  const { problem } = Object(error) as { readonly problem?: unknown }
  return typeof problem === "string" && /^[a-z-]{1,40}$/.test(problem) ? { problem } : {}
}

/** Time limit of the look at the background work: a queue that is starting is not awaited. */
const WORK_WITHIN = "1 second"

const UNKNOWN_WORK: ReadinessCheck = {
  name: "workers",
  status: "failed",
  detail: "the background work could not be looked at in time"
}

/** A server needs a worker, itself or another process, so a missing one is a failure. */
const checkOf = ({ detail, name, status }: WorkFinding): ReadinessCheck => ({
  name,
  status: status === "ok" ? "ok" : "failed",
  detail
})

/**
 * Takes a function that rejects if a dependency does not answer, and may return checks. A server that is ready also
 * reports on the background work of all processes.
 */
export const makeReadiness = (
  ready: () => Promise<ReadonlyArray<ReadinessCheck> | void>,
  runtime: ParleyRuntime
): Effect.Effect<ReadonlyArray<ReadinessCheck>, NotReady> => {
  const findings = OperatorReports.use(({ work }) => work).pipe(
    Effect.map((found) => found.map(checkOf)),
    Effect.timeout(WORK_WITHIN),
    // Requests can be served all the same.
    Effect.orElseSucceed(() => [UNKNOWN_WORK])
  )
  const ask = cachedCheck(async () => {
    const checks = await ready()
    return [...(checks ?? []), ...(await runtime.runPromise(findings))]
  }, ANSWER)
  return Effect.tryPromise({ try: ask, catch: (cause) => new NotReady({ ...problemOf(cause), cause }) })
}

/**
 * Runs a check at most once at a time, and returns its result, success or failure, for `forMs` milliseconds. A check
 * that takes longer than `withinMs` fails.
 */
export const cachedCheck = <A>(
  ask: () => Promise<A>,
  options: { forMs: number; withinMs: number }
): (() => Promise<A>) => {
  const { forMs, withinMs } = options
  let answer: Promise<A> | undefined
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

const withTimeLimit = async <A>(ask: () => Promise<A>, withinMs: number): Promise<A> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error("No answer came in time.")), withinMs)
  try {
    return await Promise.race([ask(), promise])
  } finally {
    clearTimeout(timer)
  }
}
