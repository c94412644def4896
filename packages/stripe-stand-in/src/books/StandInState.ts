/** The state of a stand-in as plain JSON. Times are whole seconds as at Stripe, and amounts are minor units. */

/** A price of the stand-in. */
export interface StandInPrice {
  readonly id: string
  /** The name of the price on pages, for example `Pro`. */
  readonly name: string
  /** The amount in the smallest unit of the currency, as at Stripe. */
  readonly amount: number
  /** The currency's ISO 4217 code in lower case. */
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
  /** The metadata of the subscription or the payment that the page creates. */
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
  /** The time at which a delayed payment arrives or fails, and whether it succeeds. */
  arrival?: { readonly at: number; readonly succeeds: boolean }
}

export interface Subscription {
  readonly id: string
  readonly customer: string
  readonly metadata: Metadata
  readonly created: number
  /** True if all invoices have a total of zero. */
  readonly isFree: boolean
  readonly quantity: number
  price: string
  status: "trialing" | "active" | "past_due" | "canceled"
  /** The time from which periods are counted, and the number of periods that have begun since. */
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
  /** The id of the subscription; undefined if the invoice is for a one-time purchase. */
  readonly subscription: string | undefined
  /** The metadata that the subscription had when the invoice was made. */
  readonly metadata: Metadata
  readonly reason: "subscription_create" | "subscription_cycle" | "subscription_update" | "manual"
  readonly lines: ReadonlyArray<Line>
  /** The quantity of each line. The amount of a line is for the whole quantity. */
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
  /** The movements on the account: out when the dispute opened, and back when it was won. */
  moves: ReadonlyArray<number>
}

/** An event in the form in which it is sent. Its text never changes. */
export interface StoredEvent {
  readonly id: string
  readonly kind: string
  readonly created: number
  readonly text: string
  /** True if the event is not delivered yet. */
  isPending: boolean
  /** The number of deliveries that the receiver refused. */
  failures: number
}

/** The first response to a request with an idempotency key. */
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
