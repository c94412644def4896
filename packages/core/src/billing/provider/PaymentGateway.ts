import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { PaymentFailed, PaymentObjectNotFound } from "../errors.ts"
import type { CheckoutMode } from "./PaymentEvent.ts"

export interface CreateCustomerInput {
  readonly userId: UserId
  readonly email: string | undefined
  /**
   * Calls with the same key, person and address return the same customer, even if they are concurrent. A call with
   * another address returns another customer; the first customer that is linked to a person is used.
   */
  readonly idempotencyKey: string
}

export interface PortalInput {
  readonly customerId: string
  /** The address to which the provider sends the person back. */
  readonly returnUrl: string
}

export interface CheckoutInput {
  readonly customerId: string
  /**
   * Written, together with the price, into the metadata of the session and of the subscription or the payment that
   * results from it.
   */
  readonly userId: UserId
  readonly priceId: string
  readonly mode: CheckoutMode
  readonly successUrl: string
  readonly cancelUrl: string
  readonly idempotencyKey: string
}

/** A page of the provider to which a person is sent. */
export interface CheckoutLink {
  readonly sessionId: string
  readonly url: string
}

export interface CloseCheckoutsInput {
  readonly customerId: string
  /** Only pages of this mode are closed; all unless given. */
  readonly mode?: CheckoutMode | undefined
}

export interface InvoicesInput {
  readonly customerId: string
  /** The number of the newest objects to return, read from as many pages of the provider as needed. */
  readonly limit: number
}

/** An invoice as it is shown to people. */
export interface Invoice {
  readonly id: string
  /** The total in major units of the currency, for example 12.5; yen have no decimals, dinars have three. */
  readonly amount: number
  /** The currency's code in ISO 4217, lower case. */
  readonly currency: string
  readonly status: string | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
  /** The provider's page for the invoice. */
  readonly invoiceUrl: string | undefined
  readonly description: string | undefined
}

/** The cost of a price at the provider. */
export interface PriceOffer {
  readonly priceId: string
  /** In major units of the currency; undefined if the price is not a fixed amount. */
  readonly amount: number | undefined
  readonly currency: string
  /** The time that one payment covers; undefined for a one-time price. */
  readonly every: { readonly unit: "day" | "week" | "month" | "year"; readonly count: number } | undefined
}

/**
 * The calls to a payment provider for one person (customer, pages, subscriptions, invoices), and the provider's prices.
 * Each call has a time limit and a bounded number of retries. A retry is safe, because a call that creates something
 * contains an idempotency key. Texts of the provider leave the adapter only as the `cause` of an error. The same
 * applies to `PaymentLookups` and `PaymentReports`.
 */
export class PaymentGateway extends Context.Service<
  PaymentGateway,
  {
    /** Creates a customer for a person, once for its idempotency key. */
    createCustomer(input: CreateCustomerInput): Effect.Effect<{ readonly customerId: string }, PaymentFailed>
    /**
     * Opens the provider's page where customers manage their plan. Fails with `PaymentObjectNotFound` if the provider
     * does not have the customer.
     */
    portalSession(input: PortalInput): Effect.Effect<{ readonly url: string }, PaymentFailed | PaymentObjectNotFound>
    /**
     * Opens a checkout page; a one-time payment gets an invoice, too. Fails if the provider does not have the customer
     * or the price, and if this server cannot receive events, because a payment would then bring no credits.
     */
    checkoutSession(input: CheckoutInput): Effect.Effect<CheckoutLink, PaymentFailed | PaymentObjectNotFound>
    /**
     * Closes the open checkout pages of a customer, so that nothing can be paid there any more. A page that is paid
     * meanwhile stays paid.
     */
    closeCheckouts(input: CloseCheckoutsInput): Effect.Effect<void, PaymentFailed>
    /**
     * Ends a subscription at once, without a refund. If it has ended before, the call succeeds or fails with
     * `PaymentObjectNotFound`.
     */
    readonly endSubscription: (id: string) => Effect.Effect<void, PaymentFailed | PaymentObjectNotFound>
    /** A customer's invoices, newest first. */
    invoices(input: InvoicesInput): Effect.Effect<ReadonlyArray<Invoice>, PaymentFailed | PaymentObjectNotFound>
    /** Returns the costs of prices; prices that the provider does not know or no longer sells are left out. */
    prices(priceIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<PriceOffer>, PaymentFailed>
  }
>()("@parley/core/billing/provider/PaymentGateway") {}
