import { SessionInvalid } from "@parley/core/adapter"
import { causeField, databaseFields } from "@parley/core/adapter"
import { SecurityEvents, ServiceKeyInvalid } from "@parley/core/effect"
import { Cause, Effect } from "effect"
import { codeOf } from "../problems/Problem.ts"
import { type ErrorCode, problemTable } from "../problems/problemTable.ts"
import type { Route } from "../routes/Route.ts"

/** The facts about a failed request for the log. */
export interface FailedRequest {
  readonly route: Route
  /** The user who sent the request, if that is proven. */
  readonly userId: string | undefined
  /** The time at which the work began, by `performance.now()`. */
  readonly began: number
}

/** Refusals that also occur in ordinary use, so that they are not suspicious. */
const ORDINARY: ReadonlyArray<ErrorCode> = [
  "model_not_allowed",
  "document_quota",
  "cron_not_configured",
  "fresh_sign_in_required",
  "visitor_challenge_required"
]
const ORDINARY_SESSIONS: ReadonlyArray<unknown> = ["missing", "expired"]

/** Codes that also refuse the sender of a request, although their status is neither 401 nor 403. */
const OTHER_REFUSALS: ReadonlyArray<ErrorCode> = ["cron_not_configured", "too_many_failures", "too_many_requests"]

/**
 * Logs failures of the server, and reports requests that were refused because of their sender or origin as security
 * events. Both contain only names, codes, users and stack frames, never the request's content or a vendor's text.
 */
export const logFailure = (
  cause: Cause.Cause<unknown>,
  failed: FailedRequest
): Effect.Effect<void, never, SecurityEvents> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.squash(cause)
  const code = codeOf(error)
  const { status } = problemTable[code]
  if (status === 401 || status === 403 || OTHER_REFUSALS.includes(code)) return reportRefusal(error, code, failed)
  return status < 500 ? Effect.void : logOwnFailure(error, code, failed)
}

const reportRefusal = (error: unknown, code: ErrorCode, { userId }: FailedRequest) => {
  const session = error instanceof SessionInvalid ? error : undefined
  return SecurityEvents.use(({ refuse }) =>
    refuse({
      outcome: code,
      problem: error instanceof ServiceKeyInvalid ? error.problem : session?.problem,
      userId: userId ?? session?.userId,
      suspicious: !ORDINARY.includes(code) && !ORDINARY_SESSIONS.includes(session?.problem)
    })
  )
}

const logOwnFailure = (
  error: unknown,
  code: ErrorCode,
  { began, route, userId }: FailedRequest
): Effect.Effect<void> => {
  const defect = code === "internal_error"
  const fields = {
    route: route.name,
    ...(userId === undefined ? {} : { user: userId }),
    durationMs: Math.round(performance.now() - began),
    code: defect && error instanceof Error && "code" in error ? String(error.code) : code,
    error: error instanceof Error ? error.name : typeof error,
    ...closedFields(error),
    ...causeField(error),
    ...databaseFields(error),
    ...(defect && error instanceof Error ? { at: framesOf(error) } : {})
  }
  const log = defect ? Effect.logError("A request failed unexpectedly.") : Effect.logWarning("A request failed.")
  return Effect.annotateLogs(log, fields)
}

/** The fields of an error whose values come from fixed lists in Parley's code, so that they contain no foreign text. */
const closedFields = (error: unknown) => {
  const fields = error as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    ["operation", "problem", "reason", "model", "retryable"]
      .filter((name) => codeOf(error) !== "internal_error" && fields[name] !== undefined)
      .map((name) => [name, fields[name]])
  )
}

/** The stack frames of an error, without its message, which may repeat foreign text. */
const framesOf = (error: Error): string =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim())
    .join(" | ")
