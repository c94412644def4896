import { Context, type Effect } from "effect"
import type { FollowedPlan } from "../../credits/rules/followPlan.ts"
import type { Operation, Refusal } from "../../credits/rules/LedgerState.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type {
  BillingAccount,
  BoughtCredits,
  EventOutcome,
  EventPayment,
  EventState,
  StoredPaymentEvent
} from "../BillingAccount.ts"
import type { FollowedPeriod } from "../FollowedPeriod.ts"
import type { InvoiceReport } from "../InvoiceReport.ts"
import type { ReceivedPaymentEvent } from "../provider/PaymentEvent.ts"
import type { SubscriptionFacts } from "../SubscriptionFacts.ts"

/** What of an event the inbox keeps. */
export interface KeptEvent extends Pick<ReceivedPaymentEvent, "id" | "kind" | "createdAt" | "customerId" | "payload"> {
  /** A payment is owed while the latest report of none of its refunds and disputes says that all of it was given back. */
  readonly payment?: EventPayment | undefined
}

export interface ReceiveInput {
  readonly event: KeptEvent
  /** What may name the person it is about. */
  readonly references: ReadonlyArray<string>
  /** The person it names itself: counts where none of the references is linked yet. */
  readonly claimed: UserId | undefined
  /** The purchase that is to be seen, by its session or its payment. */
  readonly bought: { readonly sessionId?: string; readonly paymentId?: string }
  /** True where an operator has an event applied again that was applied. */
  readonly again: boolean
  /** The outcome if its person was erased; `ERASED` unless given. */
  readonly ifErased?: EventOutcome
}

/** What an event finds. */
export type Received =
  /** It came before, and is done. */
  | { readonly _tag: "Known"; readonly outcome: EventOutcome }
  /** Nobody is linked to what it names: it is kept, and waits. */
  | { readonly _tag: "Unmatched" }
  /** Its person was erased: it is kept without its content, and its other references are the erased person's. */
  | {
      readonly _tag: "Erased"
      /** Events that waited for what it names, oldest first. */
      readonly waiting: ReadonlyArray<StoredPaymentEvent>
    }
  | {
      readonly _tag: "Matched"
      readonly account: BillingAccount
      readonly bought: BoughtCredits | undefined
      /** Unix milliseconds, by the storage's clock. */
      readonly now: number
    }

export interface ConcludeInput {
  /** The event as it was received. */
  readonly event: KeptEvent
  readonly userId: UserId
  readonly outcome: EventOutcome
  readonly subscription: SubscriptionFacts | undefined
  /** These two where undefined: as they were. */
  readonly followed: FollowedPeriod | undefined
  readonly invoiceReports: ReadonlyArray<InvoiceReport> | undefined
  readonly bought: BoughtCredits | undefined
  readonly links: ReadonlyArray<string>
  readonly waitsFor: ReadonlyArray<string>
}

/** What an event finds where its person is known. */
export type Matched = Extract<Received, { readonly _tag: "Matched" }>

/** What is to be done about an event: operations on the person's credits, and what follows from their answers. Pure. */
export interface PaymentSteps {
  readonly operations: ReadonlyArray<Operation<FollowedPlan, Refusal>>
  readonly conclude: (answers: ReadonlyArray<FollowedPlan>) => ConcludeInput
}

/** An event that may be applied in company of others. */
export interface PlainPayment extends Omit<ReceiveInput, "again" | "ifErased"> {
  /** Decides by what is known of the person; undefined where it needs more than that. */
  readonly decide: (found: Matched) => PaymentSteps | undefined
}

export interface ListEventsInput {
  readonly state: EventState | undefined
  readonly userId: UserId | undefined
  readonly limit: number
  /** Only events that were received before the one of this id. */
  readonly before: string | undefined
}

/**
 * Stores the events of the payment provider, each with its consequences. `receive` and `conclude` belong in one unit of work,
 * with the credits that move between them.
 */
export class PaymentEventStore extends Context.Service<
  PaymentEventStore,
  {
    /**
     * Takes an event in, once: a second copy waits for the first one's unit of work, and then finds it known. Finds whom
     * it is about, and locks what is known of that person until the unit ends.
     */
    receive(input: ReceiveInput): Effect.Effect<Received, StorageFailed>
    /**
     * Receives, decides and concludes an event with its credits as one transaction of its own, which it may share with
     * events of other people that come at the same time. Its answer is given once that is committed. Undefined where it
     * cannot be done so, as where others wait for what it links, or the ledger refuses: either nothing was done then, or
     * `receive` finds the event known.
     */
    applyAtOnce(payment: PlainPayment): Effect.Effect<EventOutcome | undefined>
    /**
     * Writes what follows from an event that was matched. Gives events that waited for what is linked now, oldest first.
     * Also when the same is linked by one unit while another keeps an event that waits for it, none of them is missed.
     */
    conclude(input: ConcludeInput): Effect.Effect<ReadonlyArray<StoredPaymentEvent>, StorageFailed>
    /** Keeps an event that is about nobody; gives its first outcome, where it came before. */
    keep(event: KeptEvent, outcome: EventOutcome): Effect.Effect<EventOutcome, StorageFailed>
    /** Events by their ids; those that never came are left out. */
    find(ids: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<StoredPaymentEvent>, StorageFailed>
    /** Events, the one received last first. */
    list(input: ListEventsInput): Effect.Effect<ReadonlyArray<StoredPaymentEvent>, StorageFailed>
  }
>()("@parley/core/billing/inbox/PaymentEventStore") {}

/** States of events that are done: another copy changes nothing. */
export const isDone = (state: EventState): boolean => ["applied", "ignored", "owed"].includes(state)
