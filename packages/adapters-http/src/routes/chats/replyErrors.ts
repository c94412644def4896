import type { ErrorCode } from "../../problems/problemTable.ts"

/** The codes of a reply that does not begin, for every route that starts one for a signed-in person or a service. */
export const replyErrors = [
  "blocked",
  "prompt_builder_failed",
  "prompt_too_long",
  "chat_not_found",
  "model_not_allowed",
  "idempotency_conflict",
  "request_in_progress",
  "insufficient_credits",
  "too_many_abandoned_tries",
  "too_many_replies",
  "daily_cap_reached",
  "model_unavailable",
  "model_failed",
  "model_misconfigured",
  "provider_rate_limited",
  "provider_unavailable",
  "storage_quota",
  "storage_unavailable"
] as const satisfies ReadonlyArray<ErrorCode>
