import type { UserId } from "../identity/UserId.ts"
import type { FollowedPeriod } from "./FollowedPeriod.ts"
import type { InvoiceReport } from "./InvoiceReport.ts"
import type { SubscriptionFacts } from "./SubscriptionFacts.ts"

/** The stored facts about a person from the payment provider. */
export interface BillingAccount {
  readonly userId: UserId
  /** The person's customer at the provider, for which the provider's pages are opened. */
  readonly customerId: string | undefined
  readonly subscriptions: ReadonlyArray<SubscriptionFacts>
  /** The period that the person's credits follow; undefined if they never followed a plan. */
  readonly followed: FollowedPeriod | undefined
  /** Refunds and disputes of invoices, even of invoices that have not been reported yet. */
  readonly invoiceReports: ReadonlyArray<InvoiceReport>
  /** True if an operator chose the tier: payment events are stored, but do not change it. */
  readonly pinned: boolean
  /**
   * Unix milliseconds: the time of the balance that was imported from another system. The balance contains payments
   * that were reported earlier, so they grant nothing. Undefined if no balance was imported.
   */
  readonly importedAt?: number | undefined
}

/** The stored facts of a person without any payment. */
export const noBilling = (userId: UserId): BillingAccount => ({
  userId,
  customerId: undefined,
  subscriptions: [],
  followed: undefined,
  invoiceReports: [],
  pinned: false
})

/** A one-time purchase of credits. */
export interface BoughtCredits {
  readonly sessionId: string
  /** The id of the payment, which refunds and disputes contain; undefined if there was nothing to pay. */
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
 * The state of a payment event. `applied`: all consequences are stored; `ignored`: it has no consequences; `owed`: a
 * payment for which no credits are granted, so that it has to be refunded; `waiting`: its person or its purchase is not
 * known yet; `refused`: the ledger or the catalog refuses it; `unreadable`: its form is unknown.
 */
export const EVENT_STATES = ["applied", "ignored", "owed", "waiting", "refused", "unreadable"] as const
export type EventState = (typeof EVENT_STATES)[number]

/** The outcome of a payment event, with the reason in words for operators; without names and amounts. */
export interface EventOutcome {
  readonly state: EventState
  readonly note: string
}

/** The outcome of a payment event without consequences, because its person was erased. */
export const ERASED: EventOutcome = { state: "ignored", note: "its person was erased" }

/**
 * The outcome of a payment for which no credits are granted. The state becomes `ignored` while reports say that the
 * whole payment was returned.
 */
export const toBeRefunded = (why: string): EventOutcome => ({ state: "owed", note: `to be refunded: ${why}` })

/** The note of an owed payment after it was refunded. */
export const GIVEN_BACK_NOTE = "it was given back"

/** The outcome of a refunded payment after its refund has failed or its dispute was won: it is owed again. */
export const OWED_AGAIN = toBeRefunded("what was given back has come back")

/** A payment to which a payment event refers. */
export interface EventPayment {
  /** The reference of the payment: see `referencesOf`. */
  readonly reference: string
  /** Only for a refund or a dispute: the subject of the report, and whether the whole payment was returned. */
  readonly report?: { readonly source: string; readonly isReturned: boolean } | undefined
}

/** The note of an event about test payments if the server has the provider's key for real payments, or the reverse. */
export const OTHER_MODE_NOTE = "it is of the other mode, test or live, than the key"

/** A payment event as the inbox stores it. Times in Unix milliseconds. */
export interface StoredPaymentEvent extends EventOutcome {
  readonly id: string
  readonly kind: string
  readonly createdAt: number
  readonly receivedAt: number
  readonly customerId: string | undefined
  readonly userId: UserId | undefined
  /** The reference of the payment that is owed, refunded or disputed; undefined for other events. */
  readonly payment: string | undefined
  /** The received text of the event, so that it can be read again; undefined after its person was erased. */
  readonly payload: string | undefined
}
