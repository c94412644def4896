import { Context, type Effect } from "effect"
import type { FollowedPlan } from "../../credits/rules/followPlan.ts"
import type { Operation, Refusal } from "../../credits/rules/LedgerState.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { Cursor, Page } from "../../storage/Cursor.ts"
import type { InvalidInput } from "../../storage/inputs.ts"
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

/** The stored parts of an event. */
export interface KeptEvent extends Pick<ReceivedPaymentEvent, "id" | "kind" | "createdAt" | "customerId" | "payload"> {
  /**
   * A payment is owed if none of the latest reports of its refunds and disputes says that the whole payment was
   * returned.
   */
  readonly payment?: EventPayment | undefined
}

export interface ReceiveInput {
  readonly event: KeptEvent
  /** References that may name its person. */
  readonly references: ReadonlyArray<string>
  /** The person that it names itself, which counts if none of the references is linked. */
  readonly claimed: UserId | undefined
  /** The purchase that the decision needs, by its session or its payment. */
  readonly bought: { readonly sessionId?: string; readonly paymentId?: string }
  /** True if an operator applies an applied event again. */
  readonly again: boolean
  /** The outcome if its person was erased; `ERASED` unless given. */
  readonly ifErased?: EventOutcome
}

/** The result of receiving an event. */
export type Received =
  /** It was applied before. */
  | { readonly _tag: "Known"; readonly outcome: EventOutcome }
  /** No person is linked to its references: it is stored, and waits. */
  | { readonly _tag: "Unmatched" }
  /**
   * Only from a store that keeps people in different places: the event's person is another one than that of the unit of
   * work, or was erased meanwhile. Nothing is stored; the unit begins again with the present person.
   */
  | { readonly _tag: "Reassigned" }
  /** Its person was erased: it is stored without content, and its other references become those of the erased person. */
  | {
      readonly _tag: "Erased"
      /** Events that waited for its references, oldest first. */
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
  /** True if an operator applies an applied event again. */
  readonly again?: boolean
  readonly userId: UserId
  readonly outcome: EventOutcome
  readonly subscription: SubscriptionFacts | undefined
  /** This one and the next: undefined leaves them as they were. */
  readonly followed: FollowedPeriod | undefined
  readonly invoiceReports: ReadonlyArray<InvoiceReport> | undefined
  readonly bought: BoughtCredits | undefined
  readonly links: ReadonlyArray<string>
  readonly waitsFor: ReadonlyArray<string>
}

/** The result for an event of a known person. */
export type Matched = Extract<Received, { readonly _tag: "Matched" }>

/** The steps of an event: operations on the person's credits, and the conclusion from their answers. Pure. */
export interface PaymentSteps {
  readonly operations: ReadonlyArray<Operation<FollowedPlan, Refusal>>
  readonly conclude: (answers: ReadonlyArray<FollowedPlan>) => ConcludeInput
}

/** An event that may be applied together with events of other people. */
export interface PlainPayment extends Omit<ReceiveInput, "again" | "ifErased"> {
  /** Decides from the stored facts of the person; undefined if it needs more. */
  readonly decide: (found: Matched) => PaymentSteps | undefined
  /**
   * Called before the consequences are written, by a store that keeps people in different places: claims the links, and
   * returns those that belong to the person; undefined if events wait for one of them.
   */
  readonly claim?: (links: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string> | undefined, StorageFailed>
}

export interface ListEventsInput {
  readonly state: EventState | undefined
  readonly userId: UserId | undefined
  readonly limit: number
  /** `next` of the page before. */
  readonly after: Cursor | undefined
}

/**
 * Stores the events of the payment provider, each with its consequences. `receive` and `conclude` belong in one unit of work,
 * with the credits that move between them.
 */
export class PaymentEventStore extends Context.Service<
  PaymentEventStore,
  {
    /**
     * Receives an event once: a second copy waits for the first one's unit of work, and then finds it known. Finds the person
     * of the event, and locks the person's stored facts until the unit ends.
     */
    receive(input: ReceiveInput): Effect.Effect<Received, StorageFailed>
    /**
     * Receives, decides and concludes an event with its credits in one transaction of its own, which concurrent events of other
     * people may share. Returns after the commit. Returns undefined if that is not possible, for example because events wait
     * for its links, or because the ledger refuses it: then either nothing was written, or `receive` finds the event known.
     */
    applyAtOnce(payment: PlainPayment): Effect.Effect<EventOutcome | undefined>
    /**
     * Writes the consequences of a matched event. Returns the events that waited for its new links, oldest first. None is
     * missed, even if one unit links a reference while another stores an event that waits for it. Fails with a retryable
     * `StorageFailed` if the event is done already, unless it is applied `again`: nothing is written, and `receive` finds it.
     */
    conclude(input: ConcludeInput): Effect.Effect<ReadonlyArray<StoredPaymentEvent>, StorageFailed>
    /** Stores an event without a person. Returns its first outcome if it was stored before. */
    keep(event: KeptEvent, outcome: EventOutcome): Effect.Effect<EventOutcome, StorageFailed>
    /** Events by their ids; those that never came are left out. */
    find(ids: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<StoredPaymentEvent>, StorageFailed>
    /** Events, the one received last first. Fails with `InvalidInput` if `after` is not a cursor of this store. */
    list(input: ListEventsInput): Effect.Effect<Page<StoredPaymentEvent>, InvalidInput | StorageFailed>
  }
>()("@parley/core/billing/inbox/PaymentEventStore") {}

/** States of events that are done: another copy changes nothing. */
export const isDone = (state: EventState): boolean => ["applied", "ignored", "owed"].includes(state)
