import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { Cursor, Page } from "../../storage/Cursor.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

export interface ForgetInput {
  /** Unix milliseconds: done events that were received before this time lose their content. */
  readonly doneBefore: number
  /**
   * Unix milliseconds: events without a person, or that still wait, are deleted if they were received before this time.
   */
  readonly unmatchedBefore: number
  /** The maximum number of rows of each kind. */
  readonly limit: number
}

export interface Forgotten {
  /** The number of events that lost their content. */
  readonly reduced: number
  readonly deleted: number
}

/** A person who pays for several subscriptions at once; one of them determines the plan. */
export interface SeveralSubscriptions {
  readonly userId: UserId
  /** The ids of the subscriptions that continue and are paid for. */
  readonly subscriptions: ReadonlyArray<string>
}

/** Selects a page of people. */
export interface PeopleInput {
  /** The `next` of the previous page. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** A person who has stored payments, or whose plan is renewed by invoices. */
export interface PaidPerson {
  readonly userId: UserId
  /** Descriptions of the stored payments that differ from their digests: they were changed without an event. */
  readonly altered: ReadonlyArray<string>
}

export interface CreditedInput {
  /** Unix milliseconds: only credits granted since this time are returned. */
  readonly since: number
  /** The `next` of the previous page. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** Credits that the ledger granted for a checkout session. */
export interface CreditedSession {
  readonly userId: UserId
  /** The number of the transaction in its account. */
  readonly number: number
  readonly sessionId: string
  readonly amount: number
}

/** The upkeep of stored payments, apart from the handling of events. */
export class BillingUpkeep extends Context.Service<
  BillingUpkeep,
  {
    /**
     * Removes content that is no longer needed. The id of a done event and the consequences of the event stay, so that
     * another copy of it changes nothing. Events that were refused or could not be read keep their content.
     */
    forget(input: ForgetInput): Effect.Effect<Forgotten, StorageFailed>
    /**
     * Unix milliseconds: all events of the provider before this time are stored; undefined if no time has been
     * recorded.
     */
    readonly caughtUpTo: Effect.Effect<number | undefined, StorageFailed>
    /** Records the time up to which all events are stored; a time earlier than the recorded one changes nothing. */
    readonly noteCaughtUp: (at: number) => Effect.Effect<void, StorageFailed>
    /**
     * Returns the ids of events that wait although their person is known by now, for example because the provider did
     * not answer when they were applied: at most `limit`, oldest first.
     */
    readonly stranded: (limit: number) => Effect.Effect<ReadonlyArray<string>, StorageFailed>
    /** Returns people who pay for several subscriptions at once, in the order of their ids. */
    several(input: PeopleInput): Effect.Effect<Page<SeveralSubscriptions>, StorageFailed>
    /** Returns all people whose payments may be compared with the provider, in the order of their ids. */
    people(input: PeopleInput): Effect.Effect<Page<PaidPerson>, StorageFailed>
    /** Returns the credits that the ledger granted for checkout sessions, in the order of people and rows. */
    credited(input: CreditedInput): Effect.Effect<Page<CreditedSession>, StorageFailed>
  }
>()("@parley/core/billing/upkeep/BillingUpkeep") {}
