import { ERASED, type EventOutcome, toBeRefunded } from "../BillingAccount.ts"
import type { PaidFor } from "../PaymentEvent.ts"
import {
  disputedPayment,
  invoiceReference,
  paymentOf,
  type PaymentFact,
  paymentReference,
  sessionReference
} from "../paymentReferences.ts"

/** The outcome of an event whose person was erased. */
export interface ErasedPayment {
  readonly outcome: EventOutcome
  /** As in `StoredPaymentEvent`. */
  readonly payment: string | undefined
  /** The subscription that would go on being paid for: it is to be ended. */
  readonly subscriptionId: string | undefined
}

const NOTHING: ErasedPayment = {
  outcome: ERASED,
  payment: undefined,
  subscriptionId: undefined
}

const owed = (payment: string, subscriptionId?: string): ErasedPayment => ({
  outcome: toBeRefunded("its person was erased"),
  payment,
  subscriptionId
})

const correctedPayment = (invoiceId: PaidFor | undefined, payment: string): string =>
  typeof invoiceId === "string" ? invoiceReference(invoiceId) : paymentReference(payment)

/** The payment that an event reports as wholly returned: refunded, or taken back by its bank. */
export const returnedPayment = (
  fact: Extract<PaymentFact, { readonly _tag: "Charge" | "Dispute" }>
): string | undefined => {
  if (fact._tag === "Dispute") {
    const { dispute } = fact
    return dispute.funds === "withdrawn" ? correctedPayment(dispute.invoiceId, disputedPayment(dispute)) : undefined
  }
  const { charge } = fact
  return charge.amountRefunded < charge.amount ? undefined : correctedPayment(charge.invoiceId, paymentOf(charge))
}

/** Decides an event whose person was erased: a payment is owed until it is refunded. */
export const erasedPayment = (fact: PaymentFact): ErasedPayment => {
  switch (fact._tag) {
    case "Checkout": {
      const { amountTotal, id, isPaid, mode, paymentId, subscriptionId } = fact.session
      if (mode === "subscription") return { ...NOTHING, subscriptionId }
      if (!isPaid || amountTotal === 0) return NOTHING
      return owed(paymentId === undefined ? sessionReference(id) : paymentReference(paymentId))
    }
    case "InvoicePaid": {
      const { amountPaid, id, subscriptionId } = fact.invoice
      // The checkout of a single purchase reports its payment.
      if (subscriptionId === undefined) return NOTHING
      return amountPaid > 0 ? owed(invoiceReference(id), subscriptionId) : { ...NOTHING, subscriptionId }
    }
    case "Subscription": {
      const { id, status } = fact.subscription
      return status === "ended" ? NOTHING : { ...NOTHING, subscriptionId: id }
    }
    case "Charge":
    case "Dispute":
      return { ...NOTHING, payment: returnedPayment(fact) }
    case "Unreadable":
      return NOTHING
  }
}
