import { Context, type Effect, Schema } from "effect"
import type { Destination } from "./Outbox.ts"
import type { ParleyEvent } from "./ParleyEvent.ts"

/** A destination did not take an event. */
export class DeliveryFailed extends Schema.TaggedError<DeliveryFailed>()("DeliveryFailed", {
  /** A code, such as `http_500`, `timeout` or `threw`; never what the other side said. */
  reason: Schema.String,
  /** The other side asked to be left alone for so long, in milliseconds. */
  retryAfterMs: Schema.optionalKey(Schema.Number),
  /** It wants nothing more, ever. */
  isGone: Schema.optionalKey(Schema.Boolean)
}) {
  readonly code = "delivery_failed"
  override get message() {
    return `An event was not taken by its destination (${this.reason}).`
  }
}

/** A destination that this process delivers to. */
export interface EventSink extends Destination {
  /** How long a try may take, in milliseconds. */
  readonly timeLimitMs: number
  /** Delivers one event; may be asked for the same again. */
  deliver(event: ParleyEvent): Effect.Effect<void, DeliveryFailed>
}

/** What this process delivers to: nothing unless configured. No two have one id. */
export class EventSinks extends Context.Reference<ReadonlyArray<EventSink>>("@parley/core/events/EventSinks", {
  defaultValue: () => []
}) {}
