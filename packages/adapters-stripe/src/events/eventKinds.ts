import type { PaymentEvent } from "@parley/core/adapter"
import { paymentCharge, paymentDispute, refundedCharge } from "../shapes/charge.ts"
import { checkoutSession } from "../shapes/checkoutSession.ts"
import { paidInvoice } from "../shapes/invoice.ts"
import { paymentSubscription } from "../shapes/subscription.ts"

/** What an event reports, and the invoice whose lines are to be completed, where it brings only the first. */
export interface ReadEvent {
  readonly event: PaymentEvent
  readonly cutInvoice?: string
}

type Reader = (object: unknown) => ReadEvent

const checkout =
  (known?: "complete"): Reader =>
  (object) => ({ event: { _tag: "Checkout", session: checkoutSession(object, known) } })

const invoice: Reader = (object) => {
  const read = paidInvoice(object)
  const event = { _tag: "InvoicePaid", invoice: read.invoice } as const
  return read.isCut ? { event, cutInvoice: read.invoice.id } : { event }
}

const subscription: Reader = (object) => ({
  event: { _tag: "Subscription", subscription: paymentSubscription(object) }
})

const charge: Reader = (object) => ({ event: { _tag: "Charge", charge: paymentCharge(object) } })

const refund: Reader = (object) => {
  const chargeId = refundedCharge(object)
  return { event: chargeId === undefined ? { _tag: "Other" } : { _tag: "Refund", chargeId } }
}

const dispute =
  (funds?: "withdrawn" | "reinstated"): Reader =>
  (object) => ({ event: { _tag: "Dispute", dispute: paymentDispute(object, funds) } })

/**
 * The kinds of event that credits depend on, and how each is read. `invoice.payment_succeeded` is not among them: it
 * reports some of the payments that `invoice.paid` reports.
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

/** The kinds of event that an endpoint at Stripe has to be sent. Stripe lists events of at most twenty kinds at once. */
export const PAYMENT_EVENT_KINDS: ReadonlyArray<string> = Object.keys(READERS)

/** Reads what an event of a kind is about. Throws `UnknownShape`. */
export const readEventObject = (kind: string, object: unknown): ReadEvent =>
  Object.hasOwn(READERS, kind) ? (READERS[kind] as Reader)(object) : { event: { _tag: "Other" } }
