import { CrmAnswerLost, type CrmFailed, CrmRefused, CrmUnavailable } from "@parley/core/adapter"
import { type RefusalWords, refusalOf } from "./refusal.ts"
import { AnswerUnknown } from "./requestErrors.ts"
import type { Sending } from "./sendOnce.ts"
import { readFields } from "./tokenAnswer.ts"

/** The name of a call, as errors contain it. */
export type CrmOperation = CrmFailed["operation"]

/** The longest accepted wait; longer ones are ignored. */
const MAX_RETRY_AFTER_SECONDS = 86_400

const retryAfter = (response: Response): { readonly retryAfterMs?: number } => {
  const text = response.headers.get("retry-after") ?? ""
  if (!/^\d{1,9}$/.test(text)) return {}
  return { retryAfterMs: Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) * 1000 }
}

/**
 * Returns the failure of an error response, or undefined for a success. The statuses 408, 429 and 503 are outages, and
 * the request had no effect; after any other 5xx status it may have had one; every other error status is a refusal.
 */
export const answerFailure = async (
  operation: CrmOperation,
  response: Response,
  words: RefusalWords | undefined
): Promise<CrmFailed | undefined> => {
  const { status } = response
  const cause = new AnswerUnknown(status, "no success")
  if (status === 408 || status === 429 || status === 503) {
    return new CrmUnavailable({ operation, cause, ...retryAfter(response) })
  }
  if (status >= 500) return new CrmAnswerLost({ operation, cause })
  if (status > 200 && status < 300) return undefined
  const reason = refusalOf(status, await readFields(response), words)
  return reason === undefined ? undefined : new CrmRefused({ operation, reason, cause })
}

/** Returns the failure of a call without a response. If no byte was sent, the call had no effect. */
export const sendingFailure = (operation: CrmOperation, { sent }: Sending, cause: unknown): CrmFailed =>
  sent ? new CrmAnswerLost({ operation, cause }) : new CrmUnavailable({ operation, cause })
