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

/** How the other side answered. */
export interface WebhookAnswer {
  readonly status: number
  /** The header `retry-after`, as it came. */
  readonly retryAfter: string | undefined
}

/**
 * Sends webhooks: follows no redirect, reads no answer beyond its head, gives up by itself after a while, and connects to no
 * address of a private network unless the URL names this machine (`localhost`, a loopback address) or the operator allows it.
 */
export interface WebhookPoster {
  /** Sends one as a POST; whatever the status, an answer is an answer. Interrupted, it is ended. */
  post(request: WebhookRequest): Effect.Effect<WebhookAnswer, WebhookUnanswered>
}
