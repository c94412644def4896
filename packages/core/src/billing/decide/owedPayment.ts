import { ERASED, type EventOutcome, type EventPayment, toBeRefunded } from "../BillingAccount.ts"
import type { PaidFor } from "../provider/PaymentEvent.ts"
import {
  disputedPayment,
  invoiceReference,
  paymentOf,
  type PaymentFact,
  paymentReference,
  sessionReference
} from "../inbox/paymentReferences.ts"

/** The outcome of an event whose person was erased. */
export interface ErasedPayment {
  readonly outcome: EventOutcome
  /** As in `KeptEvent`: the payment to which the event refers. */
  readonly payment: EventPayment | undefined
  /**
   * The erased person's subscription that is still running, and has to be ended at the provider; undefined if there is
   * none.
   */
  readonly subscriptionId: string | undefined
}

const NOTHING: ErasedPayment = {
  outcome: ERASED,
  payment: undefined,
  subscriptionId: undefined
}

const owed = (reference: string, subscriptionId?: string): ErasedPayment => ({
  outcome: toBeRefunded("its person was erased"),
  payment: { reference },
  subscriptionId
})

const referenceOf = (invoiceId: PaidFor | undefined, payment: string): string =>
  typeof invoiceId === "string" ? invoiceReference(invoiceId) : paymentReference(payment)

/**
 * The payment of a refund or a dispute, and whether the whole payment was returned: refunded, or withdrawn by the bank.
 */
export const correctedPayment = (
  fact: Extract<PaymentFact, { readonly _tag: "Charge" | "Dispute" }>
): EventPayment | undefined => {
  if (fact._tag === "Charge") {
    const { amount, amountRefunded, id, invoiceId } = fact.charge
    const report = { source: `refund ${id}`, isReturned: amountRefunded >= amount }
    return { reference: referenceOf(invoiceId, paymentOf(fact.charge)), report }
  }
  const { amount, funds, id, invoiceId, whole } = fact.dispute
  if (funds === "untouched") return undefined
  const report = { source: `dispute ${id}`, isReturned: funds === "withdrawn" && amount >= (whole ?? 0) }
  return { reference: referenceOf(invoiceId, disputedPayment(fact.dispute)), report }
}

/** Decides the outcome of an event whose person was erased: a payment is owed until it is refunded. */
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
      // A one-time purchase has no subscription; its payment is reported by its checkout session.
      if (subscriptionId === undefined) return NOTHING
      return amountPaid > 0 ? owed(invoiceReference(id), subscriptionId) : { ...NOTHING, subscriptionId }
    }
    case "Subscription": {
      const { id, status } = fact.subscription
      return status === "ended" ? NOTHING : { ...NOTHING, subscriptionId: id }
    }
    case "Charge":
    case "Dispute":
      return { ...NOTHING, payment: correctedPayment(fact) }
    case "Unreadable":
      return NOTHING
  }
}
