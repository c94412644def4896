import { type Effect, Schema } from "effect"

/** No answer to a webhook. */
export class WebhookUnanswered extends Schema.TaggedError<WebhookUnanswered>()("WebhookUnanswered", {
  /** `refused_address`: the name leads into a private network. */
  reason: Schema.Literals(["unreachable", "timeout", "refused_address"])
}) {
  readonly code = "webhook_unanswered"
  override get message() {
    return `A webhook had no answer (${this.reason}).`
  }
}

/** A webhook to be sent. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The response of the receiver. */
export interface WebhookAnswer {
  readonly status: number
  /** The header `retry-after`, as it came. */
  readonly retryAfter: string | undefined
}

/**
 * Sends webhooks. It follows no redirect, reads only the head of a response, has a time limit, and refuses addresses
 * in private networks, unless the URL names this machine (`localhost`, a loopback address) or the operator allows
 * them.
 */
export interface WebhookPoster {
  /** Sends one as a POST; succeeds with a response of any status. Interruption aborts the request. */
  post(request: WebhookRequest): Effect.Effect<WebhookAnswer, WebhookUnanswered>
}
