import { ModelFailed, type ModelFailure } from "@parley/core"
import { ConnectionLost } from "./readEventStream.ts"
import { EventStreamBroken } from "./serverSentEvents.ts"

/** What the SDKs of both vendors throw for an answer with an error status, and for none at all. */
interface VendorError {
  readonly status: number | undefined
  readonly headers: Headers | undefined
  /** The vendor's kinds of error, from most to least specific. */
  readonly kinds: ReadonlyArray<string>
}

interface Verdict {
  readonly reason: ModelFailure
  readonly retryable: boolean
}

const REFUSED: Verdict = { reason: "refused", retryable: false }
const RATE_LIMITED: Verdict = { reason: "rate-limited", retryable: true }
const OVERLOADED: Verdict = { reason: "unavailable", retryable: true }
const MISCONFIGURED: Verdict = { reason: "unavailable", retryable: false }
const BAD_ANSWER: Verdict = { reason: "bad-answer", retryable: true }

/** What the vendors call their errors, in answers and within streams. */
const KINDS: Readonly<Record<string, Verdict>> = {
  insufficient_quota: MISCONFIGURED,
  billing_error: MISCONFIGURED,
  invalid_api_key: MISCONFIGURED,
  authentication_error: MISCONFIGURED,
  permission_error: MISCONFIGURED,
  not_found_error: MISCONFIGURED,
  model_not_found: MISCONFIGURED,
  rate_limit_error: RATE_LIMITED,
  rate_limit_exceeded: RATE_LIMITED,
  overloaded_error: OVERLOADED,
  api_error: OVERLOADED,
  server_error: OVERLOADED,
  timeout_error: OVERLOADED,
  content_filter: REFUSED,
  content_policy_violation: REFUSED,
  invalid_request_error: REFUSED,
  request_too_large: REFUSED
}

const ofStatus = (status: number): Verdict => {
  if (status === 429) return RATE_LIMITED
  if (status === 408 || status === 409 || status >= 500) return OVERLOADED
  if (status === 400 || status === 413 || status === 422) return REFUSED
  return status >= 400 ? MISCONFIGURED : BAD_ANSWER
}

/** The specific kinds come before the status, which they explain; the general ones after it. */
const verdictOn = ({ kinds, status }: VendorError): Verdict => {
  const known = kinds.flatMap((kind) => KINDS[kind] ?? [])
  if (status === undefined) return known[0] ?? OVERLOADED
  return known.find((verdict) => verdict === MISCONFIGURED) ?? ofStatus(status)
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** The kinds of error that an error body names: `code` and `type`, at its top or under `error`. */
export const errorKinds = (body: unknown): ReadonlyArray<string> => {
  const top = record(body)
  const inner = record(top["error"])
  return [inner["code"], inner["type"], top["code"], top["type"]].filter((kind) => typeof kind === "string")
}

const vendorError = (cause: unknown): VendorError => {
  const { error, headers, status } = record(cause)
  return {
    status: typeof status === "number" ? status : undefined,
    headers: headers instanceof Headers ? headers : undefined,
    kinds: errorKinds(error)
  }
}

/** A wait beyond this is a mistake of the vendor's, or of our clock. */
const MAX_WAIT_MS = 24 * 3_600_000

/**
 * The wait a vendor asks for (`retry-after-ms`, or RFC 9110 `Retry-After` in seconds or as a date), in milliseconds, at
 * most a day.
 */
export const retryAfterMs = (headers: Headers | undefined, now: number): number | undefined => {
  const asked = askedWaitMs(headers, now)
  return asked === undefined ? undefined : Math.min(MAX_WAIT_MS, asked)
}

const askedWaitMs = (headers: Headers | undefined, now: number): number | undefined => {
  const exact = Number(headers?.get("retry-after-ms") ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact)
  const given = headers?.get("retry-after")?.trim() ?? ""
  if (/^\d{1,9}(?:\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1_000)
  const date = /^[a-z]{3}/i.test(given) ? Date.parse(given) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Gives what was thrown on the way to a vendor, or by its stream, the name that the port knows. */
export const vendorFailure = (model: string, cause: unknown, now = Date.now()): ModelFailed => {
  const named = (verdict: Verdict, wait?: number) =>
    new ModelFailed({ model, ...verdict, ...(wait === undefined ? {} : { retryAfterMs: wait }), cause })
  if (cause instanceof ModelFailed) return cause
  if (cause instanceof ConnectionLost) return named({ reason: "cut-off", retryable: true })
  if (cause instanceof EventStreamBroken) return named(BAD_ANSWER)
  const error = vendorError(cause)
  return named(verdictOn(error), retryAfterMs(error.headers, now))
}

/** The failure that a stream tells of in an error event. */
export const failureEvent = (model: string, event: unknown): ModelFailed =>
  new ModelFailed({ model, ...verdictOn({ status: undefined, headers: undefined, kinds: errorKinds(event) }) })
