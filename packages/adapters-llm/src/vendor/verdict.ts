import type { ModelFailure } from "@parley/core/adapter"
import type { ErrorBody } from "./errorBody.ts"

/** The effect of a vendor's error on a reply. */
export interface Verdict {
  readonly reason: ModelFailure
  readonly retryable: boolean
  /** The setting that is wrong, in Parley's own words. */
  readonly fault?: string
}

const REFUSED: Verdict = { reason: "refused", retryable: false }
/** The verdict on a response with status 400 whose cause is unknown. */
const REFUSED_SOMEHOW: Verdict = { ...REFUSED }
const RATE_LIMITED: Verdict = { reason: "rate-limited", retryable: true }
const OVERLOADED: Verdict = { reason: "unavailable", retryable: true }
export const BAD_ANSWER: Verdict = { reason: "bad-answer", retryable: true }
export const OVERLONG: Verdict = { reason: "overlong", retryable: false }

export const misconfigured = (fault: string): Verdict => ({ reason: "misconfigured", retryable: false, fault })

const KEY = misconfigured("the key is refused: check it, and that it belongs to this base URL")
const BILL = misconfigured("the account at the vendor has no credit left, or no payment method")
const PERMISSION = misconfigured("the key may not use this model")
const MODEL = misconfigured(
  "the vendor does not know the model, or the base URL is wrong: check vendorModel and the base URL"
)
const CONTEXT = misconfigured("the prompt is longer than the vendor takes: lower contextTokens of the model")
const REQUEST = misconfigured("a parameter of the request is refused, which the vendor does not name")
export const REDIRECTED = misconfigured("the base URL redirects: set it to the vendor's final address")

/** The verdicts by the vendors' names of errors, in responses and within streams. */
const KINDS: Readonly<Record<string, Verdict>> = {
  insufficient_quota: BILL,
  billing_error: BILL,
  invalid_api_key: KEY,
  authentication_error: KEY,
  permission_error: PERMISSION,
  not_found_error: MODEL,
  model_not_found: MODEL,
  invalid_model: MODEL,
  deploymentnotfound: MODEL,
  context_length_exceeded: CONTEXT,
  exceed_context_size_error: CONTEXT,
  rate_limit_error: RATE_LIMITED,
  rate_limit_exceeded: RATE_LIMITED,
  overloaded_error: OVERLOADED,
  api_error: OVERLOADED,
  server_error: OVERLOADED,
  timeout_error: OVERLOADED,
  content_filter: REFUSED,
  content_policy_violation: REFUSED,
  responsibleaipolicyviolation: REFUSED,
  data_inspection_failed: REFUSED
}

/** Names of errors that are no more specific than a status of 400. */
const BAD_REQUESTS: ReadonlySet<string> = new Set(["invalid_request_error", "badrequesterror", "request_too_large"])

/** Kinds that are more specific than their status. */
const ABOVE_STATUS: ReadonlySet<Verdict> = new Set([REFUSED, BILL, KEY, MODEL, CONTEXT])

/** Words in the text of a refusal that is about the content, and words of other causes of a status 400. */
const ABOUT_CONTENT =
  /content (?:polic|filter|management|exists risk)|moderation|flagged|safety|inappropriate|sensitive/
const ABOUT_CONTEXT =
  /context[ _-]?(?:length|window|size)|maximum context|prompt is too long|too many tokens|exceeds? the (?:available|maximum) context/
const ABOUT_BILL = /credit balance|insufficient (?:balance|credits?|funds|quota)|billing|out of credits/
const ABOUT_MODEL =
  /(?:invalid|unknown|unsupported) model|model\b.{0,80}(?:not found|not exist|does not exist|not a valid|unknown)|not a valid model/
const ABOUT_PARAMETER =
  /unsupported|unrecognized|unknown|unexpected|extra (?:inputs?|fields?)|not permitted|not supported|not allowed|invalid (?:parameter|argument|field|value)|additional propert/

const named = (parameter: string): Verdict => misconfigured(`the parameter ${parameter} is refused`)

/** Parameters whose names may be shown to the operator; other names may be text of the vendor. */
const TELLABLE = new Set([
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "thinking",
  "output_config",
  "temperature",
  "model"
])

/** Returns the cause of a response with status 400 or 422: the content, the configuration, or unknown. */
const onBadRequest = ({ parameters, text }: ErrorBody): Verdict => {
  if (ABOUT_CONTEXT.test(text)) return CONTEXT
  if (ABOUT_BILL.test(text)) return BILL
  const parameter = parameters.find((name) => TELLABLE.has(name))
  if (parameter !== undefined && parameter !== "model") return named(parameter)
  if (parameter === "model" || ABOUT_MODEL.test(text)) return MODEL
  if (ABOUT_CONTENT.test(text)) return REFUSED
  return ABOUT_PARAMETER.test(text) ? REQUEST : REFUSED_SOMEHOW
}

const onStatus = (status: number, body: ErrorBody): Verdict => {
  if (status === 400 || status === 422) return onBadRequest(body)
  if (status === 413) return REFUSED
  if (status === 429 || status === 498) return RATE_LIMITED
  if (status === 408 || status === 409 || status === 425 || status >= 500) return OVERLOADED
  if (status === 401) return KEY
  if (status === 402) return BILL
  if (status === 403) return ABOUT_CONTENT.test(body.text) ? REFUSED : PERMISSION
  return status >= 400 ? MODEL : BAD_ANSWER
}

/**
 * Returns the verdict on a vendor's error. A name of an error with a specific cause (`ABOVE_STATUS`) takes precedence
 * over the HTTP status; any other name is used only if there is no status. An error within a stream has no HTTP status,
 * but its body may name one.
 */
export const verdictOn = (status: number | undefined, body: ErrorBody): Verdict => {
  const known = body.kinds.flatMap((kind) => KINDS[kind.toLowerCase()] ?? [])
  const decisive = known.find((verdict) => ABOVE_STATUS.has(verdict))
  if (decisive !== undefined) return decisive
  if (status !== undefined) return onStatus(status, body)
  if (known[0] !== undefined) return known[0]
  if (body.status !== undefined) return onStatus(body.status, body)
  return body.kinds.some((kind) => BAD_REQUESTS.has(kind.toLowerCase())) ? onBadRequest(body) : OVERLOADED
}

/** True if a refusal may be about a parameter, but names none. */
export const isUnexplained = (verdict: Verdict): boolean => verdict === REQUEST || verdict === REFUSED_SOMEHOW

/** Words in a refusal that is about the size of a value, and not about the parameter itself. */
const ABOUT_SIZE =
  /too (?:large|big|high|small|low)|valid range|at (?:most|least)|(?:less|greater|more|larger|smaller) than|exceed|must be|between \d/

/**
 * True if a refusal is about the size of an output limit, or of the prompt in addition: another value would be
 * accepted.
 */
export const isAboutSize = (verdict: Verdict, { text }: ErrorBody): boolean =>
  verdict === CONTEXT || ABOUT_SIZE.test(text)
