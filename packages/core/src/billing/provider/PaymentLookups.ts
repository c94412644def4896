import { Context, type Effect } from "effect"
import type { PaymentFailed, PaymentObjectNotFound, PaymentObjectUnreadable } from "../errors.ts"
import type { CheckoutSession, PaidInvoice, PaymentCharge, PaymentSubscription } from "./PaymentEvent.ts"

/** An object that the provider does not have, or has in a form that is not understood. */
export type LookUpFailed = PaymentFailed | PaymentObjectNotFound | PaymentObjectUnreadable

/** The objects that the payment provider stores, each by its id. */
export class PaymentLookups extends Context.Service<
  PaymentLookups,
  {
    /** A checkout session, with its items if its metadata name no price. */
    readonly session: (id: string) => Effect.Effect<CheckoutSession, LookUpFailed>
    readonly subscription: (id: string) => Effect.Effect<PaymentSubscription, LookUpFailed>
    /** An invoice that is paid, with all its lines; one that is not paid yet is not found. */
    readonly paidInvoice: (id: string) => Effect.Effect<PaidInvoice, LookUpFailed>
    readonly charge: (id: string) => Effect.Effect<PaymentCharge, LookUpFailed>

    /** The subscription invoice that a payment paid, by the id of the payment or of its charge; undefined if it paid none. */
    readonly paymentInvoice: (id: string) => Effect.Effect<string | undefined, LookUpFailed>
  }
>()("@parley/core/billing/provider/PaymentLookups") {}
