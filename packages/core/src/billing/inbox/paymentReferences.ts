import type { PaidFor, PaymentCharge, PaymentDispute, PaymentEvent } from "../provider/PaymentEvent.ts"

/** An event that may have consequences, with all parts that had to be looked up. */
export type PaymentFact = Extract<
  PaymentEvent,
  { readonly _tag: "Checkout" | "InvoicePaid" | "Subscription" | "Charge" | "Dispute" | "Unreadable" }
>

/** The reference of a customer; references are the names by which an event finds its person. */
export const customerReference = (id: string): string => `customer:${id}`
const subscriptionReference = (id: string): string => `subscription:${id}`
export const paymentReference = (id: string): string => `payment:${id}`

export const sessionReference = (id: string): string => `session:${id}`

export const invoiceReference = (id: string): string => `invoice:${id}`

/** The name of an event itself: a store that keeps people in different places may have decided to whom it belongs. */
export const eventReference = (id: string): string => `event:${id}`

/** Returns true if a reference names a person, and not a payment or a purchase. */
export const namesPerson = (reference: string): boolean =>
  !reference.startsWith(paymentReference("")) && !reference.startsWith(invoiceReference(""))

const referencesTo = (
  customerId: string | undefined,
  subscriptionId: string | undefined,
  paymentId?: string,
  invoiceId?: PaidFor
): ReadonlyArray<string> => [
  ...(customerId === undefined ? [] : [customerReference(customerId)]),
  ...(subscriptionId === undefined ? [] : [subscriptionReference(subscriptionId)]),
  ...(paymentId === undefined ? [] : [paymentReference(paymentId)]),
  ...(typeof invoiceId === "string" ? [invoiceReference(invoiceId)] : [])
]

export const paymentOf = ({ id, paymentId }: PaymentCharge): string => paymentId ?? id
export const disputedPayment = ({ chargeId, paymentId }: PaymentDispute): string => paymentId ?? chargeId

/** Returns the references by which the person of an event is found. */
export const referencesOf = (fact: PaymentFact): ReadonlyArray<string> => {
  switch (fact._tag) {
    case "Checkout":
      return referencesTo(fact.session.customerId, fact.session.subscriptionId)
    case "InvoicePaid":
      return referencesTo(fact.invoice.customerId, fact.invoice.subscriptionId)
    case "Subscription":
      return referencesTo(fact.subscription.customerId, fact.subscription.id)
    case "Charge":
      return referencesTo(fact.charge.customerId, undefined, paymentOf(fact.charge), fact.charge.invoiceId)
    case "Dispute":
      return referencesTo(undefined, undefined, disputedPayment(fact.dispute), fact.dispute.invoiceId)
    case "Unreadable":
      return referencesTo(fact.subject.customerId, fact.subject.subscriptionId, fact.subject.paymentId)
  }
}

/** Returns the person whose id the event contains, if this server wrote the id into the provider's object. */
export const claimedUser = (fact: PaymentFact): string | undefined => {
  switch (fact._tag) {
    case "Checkout":
      return fact.session.userId
    case "InvoicePaid":
      return fact.invoice.userId
    case "Subscription":
      return fact.subscription.userId
    case "Unreadable":
      return fact.subject.userId
    case "Charge":
    case "Dispute":
      return undefined
  }
}

/** Names the purchase that a decision about an event needs. */
export const boughtBy = (fact: PaymentFact): { readonly sessionId?: string; readonly paymentId?: string } => {
  switch (fact._tag) {
    case "Checkout":
      return { sessionId: fact.session.id }
    case "Charge":
      return { paymentId: paymentOf(fact.charge) }
    case "Dispute":
      return { paymentId: disputedPayment(fact.dispute) }
    case "InvoicePaid":
    case "Subscription":
    case "Unreadable":
      return {}
  }
}
