/**
 * The reports of a payment provider, in terms that fit every provider. Times are Unix milliseconds; amounts are in the
 * smallest unit of their currency, whose code is in lower case; ids are the provider's own.
 */

/** The two ways to buy a price: as a subscription, or once. */
export const CHECKOUT_MODES = ["subscription", "one-time"] as const
export type CheckoutMode = (typeof CHECKOUT_MODES)[number]

/** An item that was bought, and its quantity. */
export interface SoldItem {
  readonly priceId: string
  readonly quantity: number
}

/** A checkout page and its state. */
export interface CheckoutSession {
  readonly id: string
  /** `setup`: the page only stored a means of payment. */
  readonly mode: CheckoutMode | "setup"
  readonly customerId: string | undefined
  /** The person for whom the page was opened, from the session's metadata. */
  readonly userId: string | undefined
  /** The bought price, from the session's metadata. */
  readonly priceId: string | undefined
  /** The bought items, if the metadata do not contain a price; `PaymentLookups.session` returns them. */
  readonly items?: ReadonlyArray<SoldItem>
  readonly subscriptionId: string | undefined
  /** The id of the payment, which refunds and disputes contain; undefined if there was nothing to pay. */
  readonly paymentId: string | undefined
  /** True if the person completed the page and paid, or had nothing to pay. */
  readonly isPaid: boolean
  readonly amountTotal: number
  readonly currency: string
  readonly createdAt: number
}

/** One line of an invoice. */
export interface InvoiceLine {
  readonly priceId: string | undefined
  readonly subscriptionId: string | undefined
  readonly periodStart: number
  readonly periodEnd: number
  /** True if the line corrects the payment of a period that has already begun. */
  readonly isProration: boolean
  /** The amount of the line, before discounts on the whole invoice; negative for a credit. */
  readonly amount: number
  readonly quantity: number
}

/**
 * The reason for the invoice: `create`: a subscription began; `cycle`: its next period began; `update`: it was changed;
 * or `other`.
 */
export type InvoiceReason = "create" | "cycle" | "update" | "other"

/** A paid invoice, including an invoice with an amount of zero. */
export interface PaidInvoice {
  readonly id: string
  readonly customerId: string | undefined
  readonly subscriptionId: string | undefined
  /** From the metadata that the subscription had when the invoice was made. */
  readonly userId: string | undefined
  readonly reason: InvoiceReason
  readonly amountPaid: number
  readonly currency: string
  readonly lines: ReadonlyArray<InvoiceLine>
  /** Set if the invoice has more lines than `lines`; `PaymentLookups.paidInvoice` returns all of them. */
  readonly isCut?: true
  readonly createdAt: number
}

/**
 * The state of a subscription. `incomplete`: its first invoice is not paid yet; `past-due`: a later invoice is not
 * paid, and the provider still tries; `unpaid`: the provider has given up without ending the subscription; `ended`: it
 * has ended for good.
 */
export const SUBSCRIPTION_STATUSES = [
  "incomplete",
  "trialing",
  "active",
  "past-due",
  "unpaid",
  "paused",
  "ended"
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** One price of a subscription. */
export interface SubscriptionItem {
  readonly priceId: string
  readonly periodStart: number
  readonly periodEnd: number
}

/** A subscription as it was at the time of a report. */
export interface PaymentSubscription {
  readonly id: string
  readonly customerId: string
  /** From the metadata of the subscription. */
  readonly userId: string | undefined
  readonly status: SubscriptionStatus
  readonly items: ReadonlyArray<SubscriptionItem>
  readonly startedAt: number
  /** Unix milliseconds: the planned end of the subscription; undefined if no end is planned. */
  readonly endsAt: number | undefined
  /** Unix milliseconds: the time at which the subscription ended; undefined while it continues. */
  readonly endedAt: number | undefined
}

/** The subscription invoice that a charge paid: null if it paid none, absent if it has to be looked up. */
export type PaidFor = string | null

/** A charge with the total that has been refunded of it. */
export interface PaymentCharge {
  readonly id: string
  /** The id of the payment, which its checkout session contains. */
  readonly paymentId: string | undefined
  readonly customerId: string | undefined
  /** The price of a one-time purchase from this server, from the metadata of the charge. */
  readonly priceId?: string
  readonly amount: number
  readonly amountRefunded: number
  readonly currency: string
  readonly invoiceId?: PaidFor
}

/** A payment that the payer disputes with their bank. */
export interface PaymentDispute {
  readonly id: string
  readonly chargeId: string
  readonly paymentId: string | undefined
  readonly amount: number
  readonly currency: string
  /**
   * The amount of the whole charge, in the currency of the dispute: null if it is unknown, absent if it has to be
   * looked up.
   */
  readonly whole?: number | null
  /**
   * `withdrawn`: the bank has taken the money; `reinstated`: the bank has returned it; `untouched`: the bank only asks
   * for information.
   */
  readonly funds: "withdrawn" | "reinstated" | "untouched"
  readonly invoiceId?: PaidFor
}

/** The ids that an object of the provider contains. */
export interface PaymentSubject {
  readonly customerId: string | undefined
  readonly subscriptionId: string | undefined
  readonly paymentId: string | undefined
  /** From the metadata of the object. */
  readonly userId: string | undefined
}

/** An object or event in a form that Parley cannot read. `problem` names the path of the field, without values. */
export interface Unreadable {
  readonly _tag: "Unreadable"
  readonly problem: string
  readonly subject: PaymentSubject
}

/** The content of a payment event. */
export type PaymentEvent =
  | { readonly _tag: "Checkout"; readonly session: CheckoutSession }
  | { readonly _tag: "InvoicePaid"; readonly invoice: PaidInvoice }
  | { readonly _tag: "Subscription"; readonly subscription: PaymentSubscription }
  | { readonly _tag: "Charge"; readonly charge: PaymentCharge }
  /**
   * A refund changed. The event does not contain the refunded total of the charge, so the charge has to be looked up.
   */
  | { readonly _tag: "Refund"; readonly chargeId: string }
  | { readonly _tag: "Dispute"; readonly dispute: PaymentDispute }
  /** An event on which no credits depend. */
  | { readonly _tag: "Other" }
  /** The event belongs to another account of the provider. */
  | { readonly _tag: "Foreign" }
  /**
   * A test event while the server has the key for real payments, or the reverse: the key and the signing secret do not
   * belong together.
   */
  | { readonly _tag: "OtherMode" }
  /** An event of a relevant kind whose content cannot be read. */
  | Unreadable

/** An object of the provider in one of its lists. */
export type PaymentRecord = { readonly id: string } & Exclude<
  PaymentEvent,
  { readonly _tag: "Other" | "Foreign" | "OtherMode" }
>

/** A received event: its parsed content and its raw text. */
export interface ReceivedPaymentEvent {
  readonly id: string
  /** The provider's own name of the kind of event, for example `invoice.paid`. */
  readonly kind: string
  /** Unix milliseconds: the time of the event at the provider; providers report whole seconds. */
  readonly createdAt: number
  /** The customer in the event; undefined if the event contains none. */
  readonly customerId: string | undefined
  readonly event: PaymentEvent
  /** The raw text of the event, from which it can be read again. */
  readonly payload: string
}
