import { codeOf } from "./Problem.ts"
import { type ProblemKind, problemTable } from "./problemTable.ts"

/**
 * The headers of an error's response: the wait and the exhausted limit, if they are known, and the end of the
 * connection if it must end.
 */
export const problemHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { closes }: ProblemKind = problemTable[codeOf(error)]
  return {
    ...retryAfterHeaders(error),
    ...rateLimitHeaders(error),
    ...(closes === true ? { connection: "close" } : {})
  }
}

/** An exhausted limit, as an error has it in its member `rateLimit`. */
export interface UsedUpLimit {
  /** Its name: lower-case letters and dashes. */
  readonly policy: string
  /** The quota, if it may be shown: requests in a window, or concurrent requests without a window. */
  readonly quota?: number
  /** The length of the window, in milliseconds. */
  readonly windowMs?: number
  /** Milliseconds until there is room again, if it is known. */
  readonly resetMs?: number
}

const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1_000))

/**
 * The `RateLimit` and `RateLimit-Policy` headers for a failed value with an exhausted limit; otherwise none. They
 * follow draft-ietf-httpapi-ratelimit-headers-11 (May 2026, work in progress): lists of strings with the parameters
 * `r`, remaining units, and `t`, seconds until the reset; `q`, the quota, `w`, its window in seconds, and `qu`, its
 * unit. A policy without its quota is invalid, so it is left out if callers may not see the quota.
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

/** The longest pause in a `Retry-After` header: a daily limit, or a provider's, lasts at most this long. */
const MAX_SECONDS = 86_400

/** The `Retry-After` header (RFC 9110, in whole seconds) for a failed value with a known wait; otherwise none. */
export const retryAfterHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { mayRetryAfter, retryAfterMs: usualMs }: ProblemKind = problemTable[codeOf(error)]
  if (mayRetryAfter !== true) return {}
  const { retryAfterMs = usualMs } = error as { readonly retryAfterMs?: unknown }
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return {}
  return { "retry-after": String(Math.min(MAX_SECONDS, Math.max(1, Math.ceil(retryAfterMs / 1_000)))) }
}
