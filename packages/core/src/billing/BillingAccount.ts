import type { UserId } from "../identity/UserId.ts"
import type { FollowedPeriod } from "./FollowedPeriod.ts"
import type { InvoiceReport } from "./InvoiceReport.ts"
import type { SubscriptionFacts } from "./SubscriptionFacts.ts"

/** The stored facts of a person at the payment provider. */
export interface BillingAccount {
  readonly userId: UserId
  /** The customer that pages of the provider are opened for. */
  readonly customerId: string | undefined
  readonly subscriptions: ReadonlyArray<SubscriptionFacts>
  /** The plan that the credits follow; undefined if they never followed one. */
  readonly followed: FollowedPeriod | undefined
  /** Refunds and disputes of invoices, including invoices that have not arrived. */
  readonly invoiceReports: ReadonlyArray<InvoiceReport>
  /** An operator chose the tier: reports are stored, and do not change it. */
  readonly pinned: boolean
  /**
   * The moment of the balance that was imported from another system, in Unix milliseconds: payments that were reported
   * earlier are part of it, and grant nothing. Undefined if none was imported.
   */
  readonly importedAt?: number | undefined
}

/** The account of a person without any stored fact. */
export const noBilling = (userId: UserId): BillingAccount => ({
  userId,
  customerId: undefined,
  subscriptions: [],
  followed: undefined,
  invoiceReports: [],
  pinned: false
})

/** Credits that were bought once. */
export interface BoughtCredits {
  readonly sessionId: string
  /** The payment that refunds and disputes name; undefined if nothing had to be paid. */
  readonly paymentId: string | undefined
  readonly priceId: string
  /** Whole credits. */
  readonly granted: number
  /** In the smallest unit of the currency. */
  readonly paid: number
  readonly currency: string
  /** Unix milliseconds. */
  readonly boughtAt: number
}

/**
 * The state of an event. `applied`: all consequences are stored; `ignored`: it has no consequences; `owed`: a payment without
 * credits, which must be refunded; `waiting`: its person or its purchase is not known yet; `refused`: the ledger refuses it;
 * `unreadable`: its form is unknown.
 */
export const EVENT_STATES = ["applied", "ignored", "owed", "waiting", "refused", "unreadable"] as const
export type EventState = (typeof EVENT_STATES)[number]

/** The outcome of an event, with the reason in words for operators; without names and amounts. */
export interface EventOutcome {
  readonly state: EventState
  readonly note: string
}

/** The outcome of an event whose person was erased, of which nothing is to be done. */
export const ERASED: EventOutcome = { state: "ignored", note: "its person was erased" }

/**
 * The outcome of a payment for which no credits are granted. It is `ignored` while reports say that the whole payment
 * was returned.
 */
export const toBeRefunded = (why: string): EventOutcome => ({ state: "owed", note: `to be refunded: ${why}` })

/** The note of a payment that was to be refunded, and is. */
export const GIVEN_BACK_NOTE = "it was given back"

/** The outcome of a returned payment once its refund has failed, or its dispute is won. */
export const OWED_AGAIN = toBeRefunded("what was given back has come back")

/** A payment that an event is about. */
export interface EventPayment {
  /** Its reference: see `referencesOf`. */
  readonly reference: string
  /** For the report of a refund or a dispute: its source, and whether it returned the whole payment. */
  readonly report?: { readonly source: string; readonly isReturned: boolean } | undefined
}

/** The note of an event of test payments while the key is for real ones, or the reverse. */
export const OTHER_MODE_NOTE = "it is of the other mode, test or live, than the key"

/** An event as the inbox keeps it. Times in Unix milliseconds. */
export interface StoredPaymentEvent extends EventOutcome {
  readonly id: string
  readonly kind: string
  readonly createdAt: number
  readonly receivedAt: number
  readonly customerId: string | undefined
  readonly userId: UserId | undefined
  /** The payment that is owed, or that is refunded or disputed, as a reference; undefined for other events. */
  readonly payment: string | undefined
  /** As it was received, so that it can be read again; undefined once its person was erased. */
  readonly payload: string | undefined
}
