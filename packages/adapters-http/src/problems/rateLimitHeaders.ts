import { codeOf } from "./Problem.ts"
import { type ProblemKind, problemTable } from "./problemTable.ts"

/** An exhausted limit, as an error has it in its member `rateLimit`. */
export interface UsedUpLimit {
  /** Its name: lower-case letters and dashes. */
  readonly policy: string
  /** The quota, if it may be shown: requests in a window, or concurrent requests without a window. */
  readonly quota?: number
  /** Milliseconds. */
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
