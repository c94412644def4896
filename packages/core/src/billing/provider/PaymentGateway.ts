import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { PaymentFailed, PaymentObjectNotFound } from "../errors.ts"
import type { CheckoutMode } from "./PaymentEvent.ts"

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

/**
 * The payment provider as people use it: their customer, its pages, their subscriptions and invoices, and the prices. Each
 * call is limited in time and retried a bounded number of times. A retry is safe, because a call that creates something
 * carries an idempotency key. A text of the provider leaves the adapter only as the `cause` of an error. The same holds for
 * `PaymentLookups` and `PaymentReports`.
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
  }
>()("@parley/core/billing/provider/PaymentGateway") {}
