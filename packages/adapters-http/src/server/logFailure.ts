import { Cause, Effect } from "effect"
import { codeOf } from "../problems/Problem.ts"
import { problemTable } from "../problems/problemTable.ts"
import type { Route } from "../routes/Route.ts"

/** Failures on our side, with nothing of what was sent and nothing a vendor said: names, codes and places in the code. */
export const logFailure = (cause: Cause.Cause<unknown>, route: Route): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.squash(cause)
  const code = codeOf(error)
  if (problemTable[code].status < 500) return Effect.void
  const defect = code === "internal_error"
  const fields = {
    route: `${route.method} ${route.path}`,
    code: defect && error instanceof Error && "code" in error ? String(error.code) : code,
    error: error instanceof Error ? error.name : typeof error,
    ...closedFields(error),
    ...(defect && error instanceof Error ? { at: framesOf(error) } : {})
  }
  const log = defect ? Effect.logError("A request failed unexpectedly.") : Effect.logWarning("A request failed.")
  return Effect.annotateLogs(log, fields)
}

/** Fields whose values come from closed lists in this product's own code. */
const closedFields = (error: unknown) => {
  const fields = error as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    ["operation", "reason", "model", "retryable"]
      .filter((name) => codeOf(error) !== "internal_error" && fields[name] !== undefined)
      .map((name) => [name, fields[name]])
  )
}

/** Where an error came from; its message may repeat what somebody wrote. */
const framesOf = (error: Error): string =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim())
    .join(" | ")
