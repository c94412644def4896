import { SessionInvalid } from "@parley/core/adapter"
import { causeField, databaseFields } from "@parley/core/adapter"
import { SecurityEvents, ServiceKeyInvalid } from "@parley/core/effect"
import { Cause, Effect } from "effect"
import { codeOf } from "../problems/Problem.ts"
import { type ErrorCode, problemTable } from "../problems/problemTable.ts"
import type { Route } from "../routes/Route.ts"

/** The facts of a failed request. */
export interface FailedRequest {
  readonly route: Route
  /** The sender, if it is proven. */
  readonly userId: string | undefined
  /** When its work began, by `performance.now()`. */
  readonly began: number
}

/** Refusals that occur in ordinary use. */
const ORDINARY: ReadonlyArray<ErrorCode> = [
  "model_not_allowed",
  "document_quota",
  "cron_not_configured",
  "fresh_sign_in_required",
  "visitor_challenge_required"
]
const ORDINARY_SESSIONS: ReadonlyArray<unknown> = ["missing", "expired"]

/** Refusals because of the sender that have another status than 401 and 403. */
const OTHER_REFUSALS: ReadonlyArray<ErrorCode> = ["cron_not_configured", "too_many_failures", "too_many_requests"]

/**
 * Logs failures of the server, and reports refusals because of the sender or the origin as security events, without the
 * request's content and without a vendor's text: names, codes, users and places in the code.
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

/** Fields whose values come from closed lists in Parley's own code. */
const closedFields = (error: unknown) => {
  const fields = error as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    ["operation", "problem", "reason", "model", "retryable"]
      .filter((name) => codeOf(error) !== "internal_error" && fields[name] !== undefined)
      .map((name) => [name, fields[name]])
  )
}

/** The places of an error in the code; its message may repeat foreign text. */
const framesOf = (error: Error): string =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim())
    .join(" | ")
