import { Context, type Effect, type Stream } from "effect"
import type { InvalidSignature, PaymentFailed } from "../errors.ts"
import type { PaymentRecord, ReceivedPaymentEvent } from "./PaymentEvent.ts"

export interface SignedEvent {
  /** The request's body as it came: any other bytes than those that were signed are refused. */
  readonly payload: Uint8Array
  /** The header with the signature; undefined or empty if there was none. */
  readonly signature: string | undefined
  /** Unix milliseconds. */
  readonly receivedAt: number
}

/** From when on, in Unix milliseconds. */
export interface SinceInput {
  readonly since: number
}

/**
 * The reports of the payment provider: the events that it sends, and its lists of events and objects. A list is a stream over
 * all its pages in no fixed order; a reader may stop early.
 */
export class PaymentReports extends Context.Service<
  PaymentReports,
  {
    /** All events of the kinds that credits depend on, as far back as the provider keeps them. */
    events(input: SinceInput): Stream.Stream<ReceivedPaymentEvent, PaymentFailed>
    /**
     * The objects created since then, in this order: charges that took money, refunds, disputes, completed and paid checkout
     * sessions, and paid invoices; then all subscriptions that go on, whenever they began. Each is read by itself: one that
     * cannot be read is `Unreadable`, and the others follow.
     */
    records(input: SinceInput): Stream.Stream<PaymentRecord, PaymentFailed>

    /**
     * Proves that the provider signed these bytes at most five minutes ago, and reads the event. A signed event of any
     * generation of the provider's format is read into the same neutral one; one that cannot be is `Unreadable`, and
     * one that is not an event at all fails as `malformed`. The provider is not asked.
     */
    verify(input: SignedEvent): Effect.Effect<ReceivedPaymentEvent, InvalidSignature | PaymentFailed>
    /** Parses the text of an event that was received before, without checking its signature again. */
    read(payload: string): Effect.Effect<ReceivedPaymentEvent, PaymentFailed>
  }
>()("@parley/core/billing/provider/PaymentReports") {}
