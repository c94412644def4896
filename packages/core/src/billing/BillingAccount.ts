import type { UserId } from "../identity/UserId.ts"
import type { FollowedPeriod } from "./FollowedPeriod.ts"
import type { InvoiceReport } from "./InvoiceReport.ts"
import type { SubscriptionFacts } from "./SubscriptionFacts.ts"

/** What is known of a person at the payment provider. */
export interface BillingAccount {
  readonly userId: UserId
  /** The customer that pages of the provider are opened for. */
  readonly customerId: string | undefined
  readonly subscriptions: ReadonlyArray<SubscriptionFacts>
  /** Which plan the credits follow; undefined where none was ever followed. */
  readonly followed: FollowedPeriod | undefined
  /** What was reported of payments of invoices, also of those that have not come. */
  readonly invoiceReports: ReadonlyArray<InvoiceReport>
  /** An operator chose the tier: what is reported is noted, and does not change it. */
  readonly pinned: boolean
}

/** Nothing is known of this person. */
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
  /** The payment that refunds and disputes name; none where nothing was to pay. */
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
 * The state of an event. `applied`: all that follows from it is done; `ignored`: nothing follows from it; `owed`: it was
 * paid and no credits are given for it, so that it is to be refunded; `waiting`: whom it is about, or what was bought, is not known yet;
 * `refused`: the ledger does not take it; `unreadable`: its form is not known.
 */
export const EVENT_STATES = ["applied", "ignored", "owed", "waiting", "refused", "unreadable"] as const
export type EventState = (typeof EVENT_STATES)[number]

/** What became of an event, and in words why, for operators; without names and amounts. */
export interface EventOutcome {
  readonly state: EventState
  readonly note: string
}

/** The outcome of an event whose person was erased, of which nothing is to be done. */
export const ERASED: EventOutcome = { state: "ignored", note: "its person was erased" }

/** The outcome of a payment for which nothing is given. It is `ignored` while all of it is reported as given back. */
export const toBeRefunded = (why: string): EventOutcome => ({ state: "owed", note: `to be refunded: ${why}` })

/** The note of a payment that was to be refunded, and is. */
export const GIVEN_BACK_NOTE = "it was given back"

/** The outcome of such a payment once its refund has failed, or its dispute is won. */
export const OWED_AGAIN = toBeRefunded("what was given back has come back")

/** A payment that an event is about. */
export interface EventPayment {
  /** What names it: see `referencesOf`. */
  readonly reference: string
  /** Of the report of a refund or a dispute: which one, and whether all of the payment was given back by it. */
  readonly report?: { readonly source: string; readonly isReturned: boolean } | undefined
}

/** The note of an event that is of test payments where the key is for real ones, or the other way round. */
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
