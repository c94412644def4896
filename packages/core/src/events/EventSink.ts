import { Context, type Effect, Schema } from "effect"
import type { Destination } from "./Outbox.ts"
import type { ParleyEvent } from "./ParleyEvent.ts"

/** A destination did not accept an event. */
export class DeliveryFailed extends Schema.TaggedError<DeliveryFailed>()("DeliveryFailed", {
  /** A code, for example `http_500`, `timeout` or `threw`; never a text from the receiver. */
  reason: Schema.String,
  /** Milliseconds until a retry, if the receiver requested a wait. */
  retryAfterMs: Schema.optionalKey(Schema.Number),
  /** True if the endpoint requested that nothing more is delivered to it. */
  isGone: Schema.optionalKey(Schema.Boolean)
}) {
  readonly code = "delivery_failed"
  override get message() {
    return `An event was not taken by its destination (${this.reason}).`
  }
}

/** A destination to which this process delivers. */
export interface EventSink extends Destination {
  /** The time limit of a try, in milliseconds. */
  readonly timeLimitMs: number
  /** Set for a hook, which also receives events that are not stored. */
  readonly isOfThisProcess?: true
  /** Delivers one event; may be called several times for the same event. */
  deliver(event: ParleyEvent): Effect.Effect<void, DeliveryFailed>
}

/** The destinations of this process, with distinct ids; none unless configured. */
export class EventSinks extends Context.Reference<ReadonlyArray<EventSink>>("@parley/core/events/EventSinks", {
  defaultValue: () => []
}) {}
