import { Data } from "effect"
import type { StoredPaymentEvent } from "./BillingAccount.ts"
import type { ReceivedPaymentEvent } from "./PaymentEvent.ts"
import type { PaymentFact } from "./paymentReferences.ts"

/** An event that waited, read again. */
export interface WaitingFact {
  readonly event: ReceivedPaymentEvent
  readonly fact: PaymentFact
}

/** What earlier tries of a unit of work found out, by the events' ids. */
export interface UnitSoFar {
  /** Events that waited; undefined for those that cannot be applied now. */
  readonly read: ReadonlyMap<string, WaitingFact | undefined>
  /** Why the ledger does not take what follows from them. */
  readonly refused: ReadonlyMap<string, string>
  /** Subscriptions that have been ended at the provider, by their own ids. */
  readonly ended: ReadonlySet<string>
}

/** Events wait for what a unit of work links, and are to be read before it can be done. */
export class WaitingUnread extends Data.TaggedError("WaitingUnread")<{
  readonly unread: ReadonlyArray<StoredPaymentEvent>
}> {}

/** The ledger does not take one of several actions. */
export class ActionRefused extends Data.TaggedError("ActionRefused")<{
  readonly reason: string
  readonly isFirst: boolean
}> {}

/** The same, of an action after others that are to be undone. */
export class RefusedHalfway extends Data.TaggedError("RefusedHalfway")<{
  readonly eventId: string
  readonly reason: string
}> {}

/** A person was linked after an event of theirs was read in part: it is to be read whole. */
export class LinkedMeanwhile extends Data.TaggedError("LinkedMeanwhile") {}

/** An event tells of a subscription of an erased person that goes on: it is ended before the event is done. */
export class StillRuns extends Data.TaggedError("StillRuns")<{
  readonly eventId: string
  readonly subscriptionId: string
}> {}

/** Why a unit of work is to be undone and done again, knowing more. */
export type DoAgain = WaitingUnread | RefusedHalfway | StillRuns | LinkedMeanwhile
