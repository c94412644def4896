import { type Effect, Schema } from "effect"

/** No response to a webhook arrived. */
export class WebhookUnanswered extends Schema.TaggedError<WebhookUnanswered>()("WebhookUnanswered", {
  /** `refused_address`: the host name resolves to an address in a private network. */
  reason: Schema.Literals(["unreachable", "timeout", "refused_address"])
}) {
  readonly code = "webhook_unanswered"
  override get message() {
    return `A webhook had no answer (${this.reason}).`
  }
}

/** A webhook to send. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The response of the receiver. */
export interface WebhookAnswer {
  readonly status: number
  /** The text of the header `retry-after`. */
  readonly retryAfter: string | undefined
}

/**
 * Sends webhooks. It follows no redirects, reads only the head of a response, has a time limit, and refuses addresses
 * in private networks, unless the URL names this machine (`localhost`, a loopback address) or the operator allows such
 * addresses.
 */
export interface WebhookPoster {
  /** Sends one webhook as a POST; succeeds with a response of any status. Interruption aborts the request. */
  post(request: WebhookRequest): Effect.Effect<WebhookAnswer, WebhookUnanswered>
}
