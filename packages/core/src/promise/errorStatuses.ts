import type { ParleyError } from "./ParleyError.ts"

/**
 * The HTTP status that says what each code means, for servers that answer with what Parley rejected: those of its own
 * interface where that has the code.
 */
export const errorStatuses = {
  account_not_found: 404,
  bot_key_not_found: 404,
  bot_misconfigured: 500,
  bot_not_found: 404,
  chat_not_found: 404,
  crm_answer_lost: 503,
  crm_needs_reconnect: 409,
  crm_not_configured: 503,
  crm_not_connected: 404,
  crm_provider_not_found: 404,
  crm_refused: 502,
  crm_state_unknown: 400,
  crm_unavailable: 503,
  customer_not_found: 404,
  daily_cap_reached: 429,
  database_failed: 503,
  database_not_ready: 503,
  document_forbidden: 403,
  document_not_found: 404,
  document_quota: 403,
  file_rejected: 400,
  folder_in_use: 503,
  hold_not_found: 404,
  idempotency_conflict: 422,
  identity_unavailable: 503,
  insufficient_credits: 402,
  invalid_amount: 422,
  invalid_bot: 400,
  invalid_catalog: 500,
  invalid_chat_change: 400,
  invalid_chat_request: 422,
  invalid_document_id: 400,
  invalid_input: 400,
  invalid_signature: 400,
  invalid_work: 422,
  last_bot_key: 409,
  migration_refused: 500,
  model_failed: 500,
  model_misconfigured: 500,
  model_not_allowed: 403,
  model_unavailable: 500,
  parley_closed: 503,
  payment_provider_refused: 502,
  payment_provider_unavailable: 502,
  payments_not_configured: 503,
  price_not_offered: 422,
  prompt_builder_failed: 500,
  prompt_too_long: 422,
  provider_rate_limited: 500,
  provider_unavailable: 500,
  purchase_conflict: 409,
  purchase_not_found: 404,
  receipt_not_found: 404,
  request_in_progress: 409,
  reset_too_early: 409,
  secret_unreadable: 500,
  secrets_not_configured: 503,
  storage_quota: 403,
  storage_unavailable: 500,
  tiers_missing: 500,
  too_many_abandoned_tries: 429,
  too_many_bot_keys: 409,
  too_many_bots: 403,
  too_many_replies: 429,
  transaction_not_joined: 500,
  unauthorized: 401,
  unknown_tier: 422,
  work_expired: 409,
  work_in_progress: 409
} as const satisfies Record<ParleyError["code"], number>

/** Whether something that was thrown is one of the failures that Parley names; `code` says which. */
export const isParleyError = (error: unknown): error is ParleyError => {
  if (!(error instanceof Error)) return false
  const { _tag, code } = error as { readonly _tag?: unknown; readonly code?: unknown }
  return typeof _tag === "string" && typeof code === "string" && Object.hasOwn(errorStatuses, code)
}
