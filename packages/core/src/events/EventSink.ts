import { Context, type Effect, Schema } from "effect"
import type { Destination } from "./Outbox.ts"
import type { ParleyEvent } from "./ParleyEvent.ts"

/** A destination did not take an event. */
export class DeliveryFailed extends Schema.TaggedError<DeliveryFailed>()("DeliveryFailed", {
  /** A code, for example `http_500`, `timeout` or `threw`; never text of the receiver. */
  reason: Schema.String,
  /** The wait that the receiver asked for, in milliseconds. */
  retryAfterMs: Schema.optionalKey(Schema.Number),
  /** The endpoint asked for no further deliveries. */
  isGone: Schema.optionalKey(Schema.Boolean)
}) {
  readonly code = "delivery_failed"
  override get message() {
    return `An event was not taken by its destination (${this.reason}).`
  }
}

/** A destination that this process delivers to. */
export interface EventSink extends Destination {
  /** Time limit of a try, in milliseconds. */
  readonly timeLimitMs: number
  /** True for a hook: it receives events that are not stored, too. */
  readonly isOfThisProcess?: true
  /** Delivers one event; may be asked for the same again. */
  deliver(event: ParleyEvent): Effect.Effect<void, DeliveryFailed>
}

/** The destinations of this process; default none. Their ids are distinct. */
export class EventSinks extends Context.Reference<ReadonlyArray<EventSink>>("@parley/core/events/EventSinks", {
  defaultValue: () => []
}) {}
