import { Context, type Effect } from "effect"
import type { PaymentFailed, PaymentObjectNotFound, PaymentObjectUnreadable } from "../errors.ts"
import type { CheckoutSession, PaidInvoice, PaymentCharge, PaymentSubscription } from "./PaymentEvent.ts"

/**
 * The failures of a lookup: of the call itself, or because the provider does not have the object, or has it in a form
 * that Parley cannot read.
 */
export type LookUpFailed = PaymentFailed | PaymentObjectNotFound | PaymentObjectUnreadable

/** Reads objects of the payment provider by their ids. */
export class PaymentLookups extends Context.Service<
  PaymentLookups,
  {
    /** A checkout session; its items are included if its metadata contain no price. */
    readonly session: (id: string) => Effect.Effect<CheckoutSession, LookUpFailed>
    readonly subscription: (id: string) => Effect.Effect<PaymentSubscription, LookUpFailed>
    /** A paid invoice with all its lines. Fails with `PaymentObjectNotFound` if the invoice is not paid yet. */
    readonly paidInvoice: (id: string) => Effect.Effect<PaidInvoice, LookUpFailed>
    readonly charge: (id: string) => Effect.Effect<PaymentCharge, LookUpFailed>

    /**
     * The subscription invoice that a payment paid, by the id of the payment or of its charge; undefined if the payment
     * paid none.
     */
    readonly paymentInvoice: (id: string) => Effect.Effect<string | undefined, LookUpFailed>
  }
>()("@parley/core/billing/provider/PaymentLookups") {}
