/** The state of a stand-in: plain JSON, times in whole seconds as at Stripe, amounts in minor units. */

/** A price of the stand-in. */
export interface StandInPrice {
  readonly id: string
  /** The name on the page, for example `Pro`. */
  readonly name: string
  /** In the smallest unit of the currency, as Stripe counts it. */
  readonly amount: number
  /** ISO 4217, lower case. */
  readonly currency: string
  /** The time that one payment covers; undefined for a one-time price. */
  readonly every?: { readonly unit: "day" | "week" | "month" | "year"; readonly count: number } | undefined
}

export type Metadata = Readonly<Record<string, string>>

/** The result of charging a card. */
export type Card = "works" | "fails"

export interface Customer {
  readonly id: string
  readonly email: string | undefined
  readonly metadata: Metadata
  readonly created: number
}

export interface Session {
  readonly id: string
  readonly mode: "payment" | "subscription"
  readonly customer: string
  readonly price: string
  readonly quantity: number
  readonly reference: string | undefined
  readonly metadata: Metadata
  /** Of the subscription or the payment that comes of it. */
  readonly innerMetadata: Metadata
  /** True if a one-time payment gets an invoice. */
  readonly isInvoiced: boolean
  readonly successUrl: string
  readonly cancelUrl: string
  readonly created: number
  status: "open" | "complete" | "expired"
  paymentStatus: "paid" | "unpaid" | "no_payment_required"
  total: number
  subscription?: string
  payment?: string
  /** When a payment that takes days arrives, or is known to have failed. */
  arrival?: { readonly at: number; readonly succeeds: boolean }
}

export interface Subscription {
  readonly id: string
  readonly customer: string
  readonly metadata: Metadata
  readonly created: number
  /** All invoices are of nothing. */
  readonly isFree: boolean
  readonly quantity: number
  price: string
  status: "trialing" | "active" | "past_due" | "canceled"
  /** From which periods are counted, and how many have begun since. */
  anchor: number
  periods: number
  periodStart: number
  periodEnd: number
  cancelAtPeriodEnd: boolean
  card: Card
  canceledAt?: number
  endedAt?: number
}

export interface Line {
  readonly id: string
  readonly price: string
  readonly amount: number
  readonly start: number
  readonly end: number
  readonly isProration: boolean
}

export interface Invoice {
  readonly id: string
  readonly customer: string
  /** None: it is for something that was bought once. */
  readonly subscription: string | undefined
  /** Of the subscription, as it was. */
  readonly metadata: Metadata
  readonly reason: "subscription_create" | "subscription_cycle" | "subscription_update" | "manual"
  readonly lines: ReadonlyArray<Line>
  /** Of each line; the amount of a line is for the whole quantity. */
  readonly quantity: number
  readonly total: number
  readonly currency: string
  readonly created: number
  status: "open" | "paid" | "uncollectible"
  paid: number
  attempts: number
  nextAttempt?: number
  payment?: string
}

/** A payment intent with its one charge. */
export interface Payment {
  readonly id: string
  readonly charge: string
  readonly customer: string
  readonly metadata: Metadata
  readonly amount: number
  readonly currency: string
  readonly created: number
  refunded: number
}

export interface Refund {
  readonly id: string
  readonly payment: string
  readonly amount: number
  readonly created: number
}

export interface Dispute {
  readonly id: string
  readonly payment: string
  readonly amount: number
  readonly created: number
  status: "needs_response" | "won" | "lost"
  /** Movements on the account: out when it opened, back when it was won. */
  moves: ReadonlyArray<number>
}

/** An event as it is sent: its text never changes. */
export interface StoredEvent {
  readonly id: string
  readonly kind: string
  readonly created: number
  readonly text: string
  /** Not delivered yet. */
  isPending: boolean
  /** The number of deliveries that the receiver refused. */
  failures: number
}

/** The first answer to an idempotency key. */
export interface KeptAnswer {
  readonly request: string
  readonly status: number
  readonly body: string
  readonly created: number
}

export interface StandInState {
  readonly version: 1
  /** The offset of the stand-in's clock from the real one, in milliseconds. */
  aheadMs: number
  readonly customers: Record<string, Customer>
  readonly sessions: Record<string, Session>
  readonly subscriptions: Record<string, Subscription>
  readonly invoices: Record<string, Invoice>
  readonly payments: Record<string, Payment>
  readonly refunds: Record<string, Refund>
  readonly disputes: Record<string, Dispute>
  events: Array<StoredEvent>
  readonly keys: Record<string, KeptAnswer>
}

export const emptyState = (): StandInState => ({
  version: 1,
  aheadMs: 0,
  customers: {},
  sessions: {},
  subscriptions: {},
  invoices: {},
  payments: {},
  refunds: {},
  disputes: {},
  events: [],
  keys: {}
})
