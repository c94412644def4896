import { codeOf } from "./Problem.ts"
import { type ProblemKind, problemTable } from "./problemTable.ts"

/** The longest wait that an answer asks for: a limit of a day, or a provider's, lasts at most so long. */
const MAX_SECONDS = 86_400

/** The `Retry-After` header (RFC 9110, in whole seconds) for a failed value with a known wait; otherwise none. */
export const retryAfterHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { mayRetryAfter }: ProblemKind = problemTable[codeOf(error)]
  if (mayRetryAfter !== true) return {}
  const { retryAfterMs } = error as { readonly retryAfterMs?: unknown }
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return {}
  return { "retry-after": String(Math.min(MAX_SECONDS, Math.max(1, Math.ceil(retryAfterMs / 1_000)))) }
}
