import { Context, type Effect, type Stream } from "effect"
import type { InvalidSignature, PaymentFailed } from "../errors.ts"
import type { PaymentRecord, ReceivedPaymentEvent } from "./PaymentEvent.ts"

export interface SignedEvent {
  /** The exact bytes of the request's body: the signature is valid only for the bytes that were signed. */
  readonly payload: Uint8Array
  /** The header that contains the signature; undefined or empty if there was none. */
  readonly signature: string | undefined
  /** Unix milliseconds. */
  readonly receivedAt: number
}

/** Unix milliseconds: the start of a list. */
export interface SinceInput {
  readonly since: number
}

/**
 * The reports of the payment provider: the events that it sends, and its lists of events and objects. A list is a
 * stream over all its pages, in no fixed order; the reader may stop early.
 */
export class PaymentReports extends Context.Service<
  PaymentReports,
  {
    /** Lists all events of the kinds on which credits depend, as far back as the provider stores them. */
    events(input: SinceInput): Stream.Stream<ReceivedPaymentEvent, PaymentFailed>
    /**
     * Lists the objects created since a time, in this order: charges that took money, refunds, disputes, completed and
     * paid checkout sessions, and paid invoices; then all continuing subscriptions of any age. An object that cannot be
     * read is listed as `Unreadable`, and the list continues.
     */
    records(input: SinceInput): Stream.Stream<PaymentRecord, PaymentFailed>

    /**
     * Verifies that the provider signed these bytes at most five minutes ago, and reads the event. Events in every
     * version of the provider's format are read into the same neutral form. A signed event that cannot be read is
     * returned as `Unreadable`; bytes that are not an event fail as `malformed`. The provider is not asked.
     */
    verify(input: SignedEvent): Effect.Effect<ReceivedPaymentEvent, InvalidSignature | PaymentFailed>
    /** Reads an event from the stored text of an earlier delivery; its signature is not verified again. */
    read(payload: string): Effect.Effect<ReceivedPaymentEvent, PaymentFailed>
  }
>()("@parley/core/billing/provider/PaymentReports") {}
