/**
 * The reports of a payment provider, in words that fit every provider. Times are Unix milliseconds; amounts are in the smallest unit
 * of their currency, which is lower case; ids are the provider's own.
 */

/** Whether something is bought once or subscribed to. */
export const CHECKOUT_MODES = ["subscription", "one-time"] as const
export type CheckoutMode = (typeof CHECKOUT_MODES)[number]

/** Something that was bought, and how often. */
export interface SoldItem {
  readonly priceId: string
  readonly quantity: number
}

/** A checkout page and what became of it. */
export interface CheckoutSession {
  readonly id: string
  /** `setup`: only a means of payment was stored. */
  readonly mode: CheckoutMode | "setup"
  readonly customerId: string | undefined
  /** The person that the link was made for, from the session's metadata. */
  readonly userId: string | undefined
  /** The bought price, from the session's metadata. */
  readonly priceId: string | undefined
  /** The bought items if the metadata do not name a price, as `PaymentLookups.session` returns them. */
  readonly items?: ReadonlyArray<SoldItem>
  readonly subscriptionId: string | undefined
  /** The payment that refunds and disputes name; undefined if nothing had to be paid. */
  readonly paymentId: string | undefined
  /** The page was completed, and it is paid or there was nothing to pay. */
  readonly isPaid: boolean
  readonly amountTotal: number
  readonly currency: string
  readonly createdAt: number
}

/** The purpose of a line of an invoice. */
export interface InvoiceLine {
  readonly priceId: string | undefined
  readonly subscriptionId: string | undefined
  readonly periodStart: number
  readonly periodEnd: number
  /** Corrects the payment of a period that has already begun. */
  readonly isProration: boolean
  /** The amount of the line, before discounts on the whole invoice; below zero if it is credited. */
  readonly amount: number
  readonly quantity: number
}

/** Why an invoice was made: a subscription began, went into its next period, was changed, or something else. */
export type InvoiceReason = "create" | "cycle" | "update" | "other"

/** An invoice that is paid, also one of nothing. */
export interface PaidInvoice {
  readonly id: string
  readonly customerId: string | undefined
  readonly subscriptionId: string | undefined
  /** From the metadata of the subscription, as it was when the invoice was made. */
  readonly userId: string | undefined
  readonly reason: InvoiceReason
  readonly amountPaid: number
  readonly currency: string
  readonly lines: ReadonlyArray<InvoiceLine>
  /** There are more lines than these; `PaymentGateway.paidInvoice` returns all of them. */
  readonly isCut?: true
  readonly createdAt: number
}

/**
 * The state of a subscription. `incomplete`: its first invoice is not paid yet; `past-due`: a later one is not, and the
 * provider still tries, or has given up without ending it (`unpaid`); `ended`: for good.
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

/** A subscription as it was at the moment of a report. */
export interface PaymentSubscription {
  readonly id: string
  readonly customerId: string
  /** From its metadata. */
  readonly userId: string | undefined
  readonly status: SubscriptionStatus
  readonly items: ReadonlyArray<SubscriptionItem>
  readonly startedAt: number
  /** The time of its end, if the end is decided. */
  readonly endsAt: number | undefined
  /** When it ended; of ended ones alone. */
  readonly endedAt: number | undefined
}

/** The subscription invoice that a charge paid: null if it paid none, absent if it must be looked up. */
export type PaidFor = string | null

/** A charge with all that is refunded of it by now. */
export interface PaymentCharge {
  readonly id: string
  /** The payment that its checkout session names. */
  readonly paymentId: string | undefined
  readonly customerId: string | undefined
  /** The price that this server sold once, from the metadata of the charge. */
  readonly priceId?: string
  readonly amount: number
  readonly amountRefunded: number
  readonly currency: string
  readonly invoiceId?: PaidFor
}

/** A payment that is disputed with its bank. */
export interface PaymentDispute {
  readonly id: string
  readonly chargeId: string
  readonly paymentId: string | undefined
  readonly amount: number
  readonly currency: string
  /** The whole charge, in the currency of the dispute: null if it is unknown, absent if it must be looked up. */
  readonly whole?: number | null
  /** `withdrawn`: the bank has taken the money back; `reinstated`: given it back; `untouched`: it only asks. */
  readonly funds: "withdrawn" | "reinstated" | "untouched"
  readonly invoiceId?: PaidFor
}

/** The ids that an object of the provider names. */
export interface PaymentSubject {
  readonly customerId: string | undefined
  readonly subscriptionId: string | undefined
  readonly paymentId: string | undefined
  /** From its metadata. */
  readonly userId: string | undefined
}

/** An object or event in an unknown form. `problem` names the place, without values. */
export interface Unreadable {
  readonly _tag: "Unreadable"
  readonly problem: string
  readonly subject: PaymentSubject
}

/** The report of an event. */
export type PaymentEvent =
  | { readonly _tag: "Checkout"; readonly session: CheckoutSession }
  | { readonly _tag: "InvoicePaid"; readonly invoice: PaidInvoice }
  | { readonly _tag: "Subscription"; readonly subscription: PaymentSubscription }
  | { readonly _tag: "Charge"; readonly charge: PaymentCharge }
  /** A refund changed. The event does not contain the refunded total of the charge: look the charge up. */
  | { readonly _tag: "Refund"; readonly chargeId: string }
  | { readonly _tag: "Dispute"; readonly dispute: PaymentDispute }
  /** Nothing that credits depend on. */
  | { readonly _tag: "Other" }
  /** The event belongs to another account of the provider. */
  | { readonly _tag: "Foreign" }
  /** A test event while the key is for real payments, or the reverse: key and signing secret do not belong together. */
  | { readonly _tag: "OtherMode" }
  /** The event has a relevant kind. */
  | Unreadable

/** An object of the provider, as it lists it. */
export type PaymentRecord = { readonly id: string } & Exclude<
  PaymentEvent,
  { readonly _tag: "Other" | "Foreign" | "OtherMode" }
>

/** An event as received: its parsed content and its raw text. */
export interface ReceivedPaymentEvent {
  readonly id: string
  /** The provider's own name for what happened, for example `invoice.paid`. */
  readonly kind: string
  /** When it happened; providers report whole seconds. */
  readonly createdAt: number
  /** The customer of the event, if it names one. */
  readonly customerId: string | undefined
  readonly event: PaymentEvent
  /** The event's own text, from which it can be read again. */
  readonly payload: string
}
