import type { PaymentEvent } from "@parley/core/adapter"
import { paymentCharge, paymentDispute, refundedCharge } from "../shapes/charge.ts"
import { checkoutSession } from "../shapes/checkoutSession.ts"
import { paidInvoice } from "../shapes/invoice.ts"
import { paymentSubscription } from "../shapes/subscription.ts"

type Reader = (object: unknown) => PaymentEvent

const checkout =
  (known?: "complete"): Reader =>
  (object) => ({ _tag: "Checkout", session: checkoutSession(object, known) })

const invoice: Reader = (object) => ({ _tag: "InvoicePaid", invoice: paidInvoice(object) })

const subscription: Reader = (object) => ({ _tag: "Subscription", subscription: paymentSubscription(object) })

const charge: Reader = (object) => ({ _tag: "Charge", charge: paymentCharge(object) })

const refund: Reader = (object) => {
  const chargeId = refundedCharge(object)
  return chargeId === undefined ? { _tag: "Other" } : { _tag: "Refund", chargeId }
}

const dispute =
  (funds?: "withdrawn" | "reinstated"): Reader =>
  (object) => ({ _tag: "Dispute", dispute: paymentDispute(object, funds) })

/**
 * The kinds of events that change credits or plans, with the function that reads each. `invoice.payment_succeeded` is
 * not among them, because `invoice.paid` reports all of its payments and more.
 */
const READERS: Readonly<Record<string, Reader>> = {
  "checkout.session.completed": checkout("complete"),
  "checkout.session.async_payment_succeeded": checkout("complete"),
  "checkout.session.async_payment_failed": checkout("complete"),
  "invoice.paid": invoice,
  "customer.subscription.created": subscription,
  "customer.subscription.updated": subscription,
  "customer.subscription.deleted": subscription,
  "customer.subscription.paused": subscription,
  "customer.subscription.resumed": subscription,
  "charge.refunded": charge,
  "charge.refund.updated": refund,
  "refund.created": refund,
  "refund.updated": refund,
  "refund.failed": refund,
  "charge.dispute.created": dispute(),
  "charge.dispute.updated": dispute(),
  "charge.dispute.closed": dispute(),
  "charge.dispute.funds_withdrawn": dispute("withdrawn"),
  "charge.dispute.funds_reinstated": dispute("reinstated")
}

/**
 * The kinds of events that an operator has to select for the webhook endpoint at Stripe. Stripe lists events of at most
 * twenty kinds at once.
 */
export const PAYMENT_EVENT_KINDS: ReadonlyArray<string> = Object.keys(READERS)

/** Reads the object of an event of a kind. Throws `UnknownShape` if its form is unknown. */
export const readEventObject = (kind: string, object: unknown): PaymentEvent =>
  Object.hasOwn(READERS, kind) ? (READERS[kind] as Reader)(object) : { _tag: "Other" }
