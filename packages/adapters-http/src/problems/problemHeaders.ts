import { codeOf } from "./Problem.ts"
import { type ProblemKind, problemTable } from "./problemTable.ts"

/**
 * The headers of an error's response: the wait and the exhausted limit, if they are known, and `connection: close` if
 * the connection has to end.
 */
export const problemHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { closes }: ProblemKind = problemTable[codeOf(error)]
  return {
    ...retryAfterHeaders(error),
    ...rateLimitHeaders(error),
    ...(closes === true ? { connection: "close" } : {})
  }
}

/** An exhausted limit: the value of the member `rateLimit` of an error. */
export interface UsedUpLimit {
  /** The name of the limit: lower-case letters and dashes. */
  readonly policy: string
  /**
   * The quota, if it may be shown: the number of requests in a window, or, without a window, of concurrent requests.
   */
  readonly quota?: number
  /** The length of the window, in milliseconds. */
  readonly windowMs?: number
  /** Milliseconds until there is room again, if it is known. */
  readonly resetMs?: number
}

const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1_000))

/**
 * Returns the `RateLimit` and `RateLimit-Policy` headers for an error with an exhausted limit; otherwise none. They
 * follow draft-ietf-httpapi-ratelimit-headers-11 (May 2026, work in progress). `RateLimit` has the parameters `r`
 * (remaining units) and `t` (seconds until the reset), `RateLimit-Policy` has `q` (the quota), `w` (its window in
 * seconds) and `qu` (its unit). A policy without a quota would be invalid, so callers who may not see the quota get no
 * `RateLimit-Policy`.
 */
export const rateLimitHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { tellsRateLimit }: ProblemKind = problemTable[codeOf(error)]
  const { rateLimit } = error as { readonly rateLimit?: UsedUpLimit }
  if (tellsRateLimit !== true || rateLimit === undefined) return {}
  const { policy, quota, resetMs, windowMs } = rateLimit
  const holds = windowMs === undefined ? ';qu="concurrent-requests"' : `;w=${seconds(windowMs)}`
  return {
    ...(quota === undefined ? {} : { "ratelimit-policy": `"${policy}";q=${quota}${holds}` }),
    ratelimit: `"${policy}";r=0${resetMs === undefined ? "" : `;t=${seconds(resetMs)}`}`
  }
}

/** The longest wait in a `Retry-After` header: no daily limit and no provider's limit lasts longer. */
const MAX_SECONDS = 86_400

/** Returns the `Retry-After` header (RFC 9110, in whole seconds) for an error with a known wait; otherwise none. */
export const retryAfterHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { mayRetryAfter, retryAfterMs: usualMs }: ProblemKind = problemTable[codeOf(error)]
  if (mayRetryAfter !== true) return {}
  const { retryAfterMs = usualMs } = error as { readonly retryAfterMs?: unknown }
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return {}
  return { "retry-after": String(Math.min(MAX_SECONDS, Math.max(1, Math.ceil(retryAfterMs / 1_000)))) }
}
