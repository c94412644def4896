import { errorStatuses } from "@parley/core"

/** The response to one kind of error. `members` are the fields of the error that its problem details contain. */
export interface ProblemKind {
  readonly status: number
  readonly title: string
  readonly members?: ReadonlyArray<string>
  /** The names of those members that are times in Unix milliseconds. The response contains them as ISO 8601, UTC. */
  readonly times?: ReadonlyArray<string>
  /** Set if errors of this kind may have a wait in `retryAfterMs`, which becomes the response's `Retry-After`. */
  readonly mayRetryAfter?: true
  /** The wait in milliseconds for an error that has no `retryAfterMs`. */
  readonly retryAfterMs?: number
  /**
   * Set if errors of this kind may name the exhausted limit in `rateLimit`, which becomes the headers `RateLimit` and
   * `RateLimit-Policy`.
   */
  readonly tellsRateLimit?: true
  /** Replaces the error's own message if that message would not help the client's developer. */
  readonly detail?: string
  /** Set if the connection ends after the response. */
  readonly closes?: true
}

const isCoreCode = (code: string): code is keyof typeof errorStatuses => Object.hasOwn(errorStatuses, code)

const ON_OUR_SIDE = "Something failed on our side. Try again in a moment; if it persists, report the request id."

/** Set for the limits on visitors: the response may have a wait and name the limit. */
const LIMITED = { mayRetryAfter: true, tellsRateLimit: true } as const

/** The responses by code. If a status is missing here, it is in the core's table `errorStatuses`. */
const problems = {
  invalid_request: { status: 400, title: "The request is not valid", members: ["issues"] },
  invalid_preferences: { title: "The settings cannot be stored", members: ["field", "expected"] },
  invalid_image: { title: "The image cannot be accepted" },
  invalid_project: { title: "The project cannot be stored", members: ["field", "expected"] },
  invalid_chat_change: { title: "The chat cannot be changed so", members: ["issues"] },
  invalid_bot: { title: "The bot cannot be so", members: ["issues"] },
  invalid_document_id: { title: "The document id is not valid" },
  invalid_upload: { status: 400, title: "The upload cannot be read" },
  file_rejected: { title: "The file cannot be accepted", members: ["problem"] },
  invalid_usage_range: { title: "The days are not valid", members: ["maxDays"] },
  message_too_long: { title: "The message is too long", members: ["limit"] },
  crm_state_unknown: { title: "The connection was not begun here" },
  invalid_signature: { title: "The signature is not valid" },
  unauthorized: { title: "Not signed in" },
  service_key_invalid: { title: "The service key is missing or does not count" },
  cron_unauthorized: { status: 401, title: "The bearer secret is missing or wrong" },
  insufficient_credits: {
    title: "Not enough credits",
    members: ["required", "available", "allowance", "topup", "held", "debt", "nextResetAt", "affordableModels"],
    times: ["nextResetAt"]
  },
  blocked: { title: "The access is blocked" },
  scope_missing: { status: 403, title: "The service key does not allow this", members: ["scope"] },
  role_missing: { status: 403, title: "The role does not allow this", members: ["role"] },
  fresh_sign_in_required: { status: 403, title: "A fresh sign-in is needed", members: ["maxAgeSeconds"] },
  cross_site_request: { status: 403, title: "The request comes from another site" },
  model_not_allowed: {
    title: "The plan does not include the model",
    members: ["model", "tier", "allowedTiers"]
  },
  document_forbidden: { title: "The document belongs to another user", members: ["documentId"] },
  document_quota: {
    title: "The plan has no room for the document",
    members: ["tier", "documents", "bytes", "failed", "maxDocuments", "maxDocumentBytes"]
  },
  storage_quota: {
    title: "The plan has no room for more chats",
    members: ["tier", "bytes", "maxChatBytes"]
  },
  too_many_projects: { title: "You have as many projects as one may have", members: ["limit"] },
  too_many_bots: { title: "You have as many bots as one may have", members: ["limit"] },
  not_found: { status: 404, title: "There is nothing here" },
  account_not_found: { title: "There is no such account" },
  hand_over_off: { title: "No person answers in the place of this bot" },
  visitor_uploads_off: { title: "Visitors of this bot attach no files" },
  too_many_conversation_files: { title: "The conversation has as many files as one may have", members: ["limit"] },
  no_room_for_file: { title: "The bot takes no more files for now" },
  hold_not_found: {
    title: "There is no such hold",
    detail: "Nothing was held for this person under this key. Reserve it first."
  },
  bot_not_found: { title: "There is no such bot" },
  bot_key_not_found: { title: "The bot has no such public key" },
  crm_provider_not_found: { title: "There is no such CRM provider" },
  crm_not_connected: { title: "The bot is not connected to this CRM" },
  conversation_not_found: { title: "There is no such conversation" },
  image_not_found: { title: "There is no such image" },
  project_not_found: { title: "There is no such project" },
  chat_not_found: { title: "There is no such chat" },
  customer_not_found: { title: "There is no such customer" },
  erasure_limited: { title: "An account was deleted a short time ago", mayRetryAfter: true },
  user_not_found: { title: "There is no such person" },
  purchase_not_found: { title: "There is no such purchase" },
  document_not_found: { title: "There is no such document", members: ["documentId"] },
  model_not_found: { status: 404, title: "There is no such model" },
  method_not_allowed: { status: 405, title: "The method does not apply here", members: ["allowed"] },
  request_too_slow: { status: 408, title: "The request came too slowly", closes: true },
  document_not_indexed: { title: "The document has no text yet", members: ["documentId"] },
  holds_open: { title: "A reply is still being written" },
  purchase_conflict: { title: "The purchase was reported otherwise" },
  already_subscribed: { status: 409, title: "There is a plan already" },
  last_bot_key: { title: "The bot has no other public key" },
  too_many_bot_keys: { title: "The bot has as many public keys as one may have", members: ["limit"] },
  work_expired: {
    title: "The hold of the work has ended",
    members: ["charged", "required", "available"]
  },
  request_in_progress: { title: "The request is being answered" },
  payload_too_large: { status: 413, title: "The body is too large", members: ["limit"] },
  invalid_chat_request: { title: "The chat request is not valid", members: ["issues"] },
  idempotency_conflict: {
    title: "The idempotency key belongs to another request",
    detail: "This idempotency key was used for another request. Use a new key for each new request."
  },
  invalid_work: { title: "The work cannot be metered so" },
  unknown_tier: { title: "There is no such tier", members: ["tiers"] },
  invalid_amount: { title: "The amount is not acceptable" },
  price_not_offered: { title: "The price is not on sale", members: ["priceId", "problem"] },
  prompt_builder_failed: { title: "The prompt could not be made", detail: ON_OUR_SIDE },
  prompt_too_long: { title: "The message is too long for the model", members: ["tokens", "window"] },
  too_many_abandoned_tries: {
    title: "Too many replies were left before their first word",
    members: ["perMinute"],
    mayRetryAfter: true
  },
  too_many_replies: {
    title: "As many replies as the plan allows are being written",
    members: ["tier", "limit"],
    mayRetryAfter: true
  },
  daily_cap_reached: {
    title: "Today's limit of credits is used up",
    members: ["kind", "cap", "spent", "resetsAt"],
    times: ["resetsAt"],
    mayRetryAfter: true
  },
  visitor_rate_limited: { title: "Too many messages from this address", ...LIMITED },
  conversation_rate_limited: { title: "Too many messages in this conversation", ...LIMITED },
  bot_rate_limited: { title: "Too many messages to this bot", ...LIMITED },
  visitor_uploads_limited: { title: "Files are sent too often", ...LIMITED },
  visitor_reads_limited: { title: "Conversations are loaded too often", ...LIMITED },
  too_many_visitor_streams: { title: "Too many replies to this address at once", ...LIMITED },
  too_many_bot_streams: { title: "Too many replies of this bot at once", ...LIMITED },
  bot_busy: { title: "The bot is busy", ...LIMITED },
  bot_resting: { title: "The bot answers no more today", ...LIMITED },
  visitor_day_used_up: { title: "The bot answers this address no more today", ...LIMITED },
  visitor_challenge_required: { title: "A challenge has to be solved first", members: ["challenge"] },
  challenge_unavailable: { title: "The challenge cannot be checked for now", mayRetryAfter: true },
  too_many_failures: {
    status: 429,
    title: "Too many wrong credentials from this address",
    members: ["limit"],
    mayRetryAfter: true
  },
  head_too_large: { status: 431, title: "The headers are too large", members: ["limit"] },
  too_many_requests: { status: 429, title: "Too many requests are under way", members: ["limit"], mayRetryAfter: true },
  model_failed: { title: "The model did not answer", members: ["model", "reason"] },
  provider_rate_limited: {
    title: "The model's provider takes no more requests for now",
    members: ["model", "reason"],
    mayRetryAfter: true
  },
  provider_unavailable: {
    title: "The model's provider does not answer for now",
    members: ["model", "reason"],
    mayRetryAfter: true
  },
  model_misconfigured: { title: "The model is not set up right", members: ["model", "reason"] },
  bot_misconfigured: { title: "The bot is not set up right" },
  model_unavailable: { title: "The model is not set up", members: ["model"] },
  body_already_read: { status: 500, title: "The body was read before" },
  scanner_unavailable: { title: "The file cannot be checked for now", mayRetryAfter: true },
  cell_unavailable: {
    status: 503,
    title: "The database of this account did not answer",
    detail:
      "The database that stores this account does not answer. Other accounts are not affected. Try again in a moment.",
    mayRetryAfter: true,
    retryAfterMs: 5_000
  },
  storage_unavailable: { title: "The storage did not answer", detail: ON_OUR_SIDE, mayRetryAfter: true },
  internal_error: { status: 500, title: "Something failed on our side", detail: ON_OUR_SIDE },
  payment_provider_unavailable: {
    title: "The payment provider does not answer for now",
    mayRetryAfter: true
  },
  payment_provider_refused: { title: "The payment provider is not set up right" },
  identity_unavailable: { title: "The identity provider cannot be reached", mayRetryAfter: true },
  cron_not_configured: { status: 503, title: "Scheduled jobs are not configured" },
  crm_not_configured: { title: "CRM connections are not configured", members: ["missing"] },
  payments_not_configured: { title: "Payments are not configured" },
  widget_not_built: { status: 503, title: "The widget is not built" },
  server_busy: { status: 503, title: "The server is busy", mayRetryAfter: true },
  not_ready: { status: 503, title: "The server is not ready" }
} as const satisfies Record<string, Omit<ProblemKind, "status"> & { readonly status?: number }>

type Problems = typeof problems
type StatusOf<Code extends keyof Problems> = Code extends keyof typeof errorStatuses
  ? (typeof errorStatuses)[Code]
  : Problems[Code] extends { readonly status: infer Status }
    ? Status
    : never

/** The status of every code that an answer can carry. Other codes are answered as `internal_error`. */
export const problemTable = Object.fromEntries(
  Object.entries(problems).map(([code, kind]) => [
    code,
    { ...kind, ...(isCoreCode(code) ? { status: errorStatuses[code] } : {}) }
  ])
) as { readonly [Code in keyof Problems]: Problems[Code] & { readonly status: StatusOf<Code> } }

/** A stable name for one kind of failure. Clients branch on it; its meaning never changes. */
export type ErrorCode = keyof typeof problemTable

/**
 * An error with a code. The type `C` lets the compiler refuse a route that can fail with a code it does not declare.
 */
export interface Coded<C extends string = string> {
  readonly code: C
  readonly message: string
}
