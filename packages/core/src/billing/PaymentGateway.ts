import { Context, type Effect, type Stream } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { InvalidSignature, PaymentFailed, PaymentObjectNotFound, PaymentObjectUnreadable } from "./errors.ts"
import type {
  CheckoutMode,
  CheckoutSession,
  PaidInvoice,
  PaymentCharge,
  PaymentRecord,
  PaymentSubscription,
  ReceivedPaymentEvent
} from "./PaymentEvent.ts"

export interface CreateCustomerInput {
  readonly userId: UserId
  readonly email: string | undefined
  /**
   * The same key with the same person and address gives the same customer, also while another call with it is under way.
   * With another address it gives another customer: of a person's customers the first that is linked counts.
   */
  readonly idempotencyKey: string
}

export interface PortalInput {
  readonly customerId: string
  /** Where the person comes back to. */
  readonly returnUrl: string
}

export interface CheckoutInput {
  readonly customerId: string
  /** Written, with the price, into the metadata of the session and of the subscription or the payment that comes of it. */
  readonly userId: UserId
  readonly priceId: string
  readonly mode: CheckoutMode
  readonly successUrl: string
  readonly cancelUrl: string
  readonly idempotencyKey: string
}

/** A page of the provider that a person is sent to. */
export interface CheckoutLink {
  readonly sessionId: string
  readonly url: string
}

export interface CloseCheckoutsInput {
  readonly customerId: string
  /** Only pages of this mode; all unless given. */
  readonly mode?: CheckoutMode | undefined
}

export interface InvoicesInput {
  readonly customerId: string
  /** The newest so many, over as many pages of the provider as it takes. */
  readonly limit: number
}

/** An invoice as people read it. */
export interface Invoice {
  readonly id: string
  /** The total in major units of the currency: 12.5; yen without decimals; dinars with three. */
  readonly amount: number
  /** ISO 4217, lower case. */
  readonly currency: string
  readonly status: string | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
  /** The provider's page of it. */
  readonly invoiceUrl: string | undefined
  readonly description: string | undefined
}

/** What a price costs, as the provider says. */
export interface PriceOffer {
  readonly priceId: string
  /** In major units; undefined where it is no fixed amount. */
  readonly amount: number | undefined
  readonly currency: string
  /** How long one payment lasts; undefined for what is bought once. */
  readonly every: { readonly unit: "day" | "week" | "month" | "year"; readonly count: number } | undefined
}

export interface SignedEvent {
  /** The request's body as it came: any other bytes than those that were signed are refused. */
  readonly payload: Uint8Array
  /** The header that carries the signature; undefined or empty where there was none. */
  readonly signature: string | undefined
  /** Unix milliseconds. */
  readonly receivedAt: number
}

/** An object that the provider does not have, or has in a form that is not understood. */
export type LookUpFailed = PaymentFailed | PaymentObjectNotFound | PaymentObjectUnreadable

/** From when on, in Unix milliseconds. */
export interface SinceInput {
  readonly since: number
}

/**
 * The payment provider. Every call has its own limits of time and a bounded number of retries, which are safe: what
 * creates something carries an idempotency key. Streams page through all there is and may be left early; their order is
 * not fixed. Texts of the provider never leave the gateway but as an error's `cause`.
 */
export class PaymentGateway extends Context.Service<
  PaymentGateway,
  {
    /** Creates a customer for a person, once for its key. */
    createCustomer(input: CreateCustomerInput): Effect.Effect<{ readonly customerId: string }, PaymentFailed>
    /** Opens the provider's page where customers manage their plan. Fails where there is no such customer (any more). */
    portalSession(input: PortalInput): Effect.Effect<{ readonly url: string }, PaymentFailed | PaymentObjectNotFound>
    /**
     * Opens a checkout page; what is paid once there has an invoice. Fails where there is no such customer or price (any
     * more), and where no events can be taken: nobody would get what they paid for.
     */
    checkoutSession(input: CheckoutInput): Effect.Effect<CheckoutLink, PaymentFailed | PaymentObjectNotFound>
    /**
     * Closes checkout pages of a customer that are still open, so that nothing can be paid there any more. One that is paid
     * meanwhile stays as it is.
     */
    closeCheckouts(input: CloseCheckoutsInput): Effect.Effect<void, PaymentFailed>
    /** Ends a subscription at once, without a refund; one that has ended stays so, or is not found. */
    readonly endSubscription: (id: string) => Effect.Effect<void, PaymentFailed | PaymentObjectNotFound>
    /** A customer's invoices, newest first. */
    invoices(input: InvoicesInput): Effect.Effect<ReadonlyArray<Invoice>, PaymentFailed | PaymentObjectNotFound>
    /** What these prices cost; those that the provider does not know, or sells no more, are left out. */
    prices(priceIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<PriceOffer>, PaymentFailed>

    /** A checkout session, with its items where its metadata name no price. */
    readonly session: (id: string) => Effect.Effect<CheckoutSession, LookUpFailed>
    readonly subscription: (id: string) => Effect.Effect<PaymentSubscription, LookUpFailed>
    /** An invoice that is paid, with all its lines; one that is not paid yet is not found. */
    readonly paidInvoice: (id: string) => Effect.Effect<PaidInvoice, LookUpFailed>
    readonly charge: (id: string) => Effect.Effect<PaymentCharge, LookUpFailed>

    /** The invoice of a subscription that a payment paid, by the payment's id or its charge's; undefined where it paid none. */
    readonly paymentInvoice: (id: string) => Effect.Effect<string | undefined, LookUpFailed>

    /** All events of the kinds that credits depend on, as far back as the provider keeps them. */
    events(input: SinceInput): Stream.Stream<ReceivedPaymentEvent, PaymentFailed>
    /**
     * What was created since then, in this order: charges that took money, refunds, disputes, completed and paid checkout
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
    /** Reads the text of an event that was received before, of which nothing is proven anew. */
    read(payload: string): Effect.Effect<ReceivedPaymentEvent, PaymentFailed>
  }
>()("@parley/core/billing/PaymentGateway") {}
