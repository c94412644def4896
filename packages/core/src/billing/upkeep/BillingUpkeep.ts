import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { Cursor, Page } from "../../storage/Cursor.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

export interface ForgetInput {
  /** Events of people that are done and were received before this moment lose their content. Unix milliseconds. */
  readonly doneBefore: number
  /** Events without a person, or that still wait, are deleted if they were received before this moment. Unix milliseconds. */
  readonly unmatchedBefore: number
  /** The most rows of each. */
  readonly limit: number
}

export interface Forgotten {
  /** Events that lost their content. */
  readonly reduced: number
  readonly deleted: number
}

/** A person who pays for several subscriptions at once, of which one is the plan. */
export interface SeveralSubscriptions {
  readonly userId: UserId
  /** Those that are paid for and go on, by their ids. */
  readonly subscriptions: ReadonlyArray<string>
}

/** A page of people. */
export interface PeopleInput {
  /** `next` of the page before. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** A person with stored payments, or whose plan is renewed by invoices. */
export interface PaidPerson {
  readonly userId: UserId
  /** In words: the part of the stored payments that differs from the written state. */
  readonly altered: ReadonlyArray<string>
}

export interface CreditedInput {
  /** Credits that were given since this moment, in Unix milliseconds. */
  readonly since: number
  /** `next` of the page before. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** Credits that the ledger granted for a checkout session. */
export interface CreditedSession {
  readonly userId: UserId
  /** The number of the transaction. */
  readonly number: number
  readonly sessionId: string
  readonly amount: number
}

/** The upkeep of stored payments outside of events. */
export class BillingUpkeep extends Context.Service<
  BillingUpkeep,
  {
    /**
     * Removes content that is not needed any more. Of a done event everything remains that followed from it, and its id,
     * so that another copy of it changes nothing. Events that were refused or could not be read keep their content.
     */
    forget(input: ForgetInput): Effect.Effect<Forgotten, StorageFailed>
    /** The moment until which all events of the provider are stored, in Unix milliseconds; undefined if none was noted. */
    readonly caughtUpTo: Effect.Effect<number | undefined, StorageFailed>
    /** Notes this moment; an earlier one than the noted one changes nothing. */
    readonly noteCaughtUp: (at: number) => Effect.Effect<void, StorageFailed>
    /**
     * Events that wait although their person is known by now, for example because the provider did not answer when they were
     * applied: at most `limit` ids, the oldest first.
     */
    readonly stranded: (limit: number) => Effect.Effect<ReadonlyArray<string>, StorageFailed>
    /** People who pay for several subscriptions at once, by their ids. */
    several(input: PeopleInput): Effect.Effect<Page<SeveralSubscriptions>, StorageFailed>
    /** All people whose payments may be compared with the provider, in the order of their ids. */
    people(input: PeopleInput): Effect.Effect<Page<PaidPerson>, StorageFailed>
    /** Credits of the ledger for checkout sessions, in the order of people and rows. */
    credited(input: CreditedInput): Effect.Effect<Page<CreditedSession>, StorageFailed>
  }
>()("@parley/core/billing/upkeep/BillingUpkeep") {}
