import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { PaymentFailed, PaymentObjectNotFound } from "../errors.ts"
import type { CheckoutMode } from "./PaymentEvent.ts"

export interface CreateCustomerInput {
  readonly userId: UserId
  readonly email: string | undefined
  /**
   * Calls with the same key, person and address return the same customer, even if they are concurrent. A call with another
   * address returns another customer: of a person's customers the first that is linked counts.
   */
  readonly idempotencyKey: string
}

export interface PortalInput {
  readonly customerId: string
  /** The address to which the person returns. */
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
  /** The number of the newest objects, over as many pages of the provider as needed. */
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

/** The cost of a price at the provider. */
export interface PriceOffer {
  readonly priceId: string
  /** In major units; undefined if it is not a fixed amount. */
  readonly amount: number | undefined
  readonly currency: string
  /** The time that one payment covers; undefined for a one-time price. */
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
    /** Opens the provider's page where customers manage their plan. Fails if the customer does not exist (any more). */
    portalSession(input: PortalInput): Effect.Effect<{ readonly url: string }, PaymentFailed | PaymentObjectNotFound>
    /**
     * Opens a checkout page; a one-time payment gets an invoice, too. Fails if the customer or the price does not exist (any
     * more), and if no events can be received, because a payment would then bring no credits.
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
    /** The costs of prices, without those that the provider does not know or no longer sells. */
    prices(priceIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<PriceOffer>, PaymentFailed>
  }
>()("@parley/core/billing/provider/PaymentGateway") {}
