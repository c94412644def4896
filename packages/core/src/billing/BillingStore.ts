import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { BillingAccount, BoughtCredits, StoredPaymentEvent } from "./BillingAccount.ts"
import type { FollowedPeriod } from "./FollowedPeriod.ts"

export interface PinInput {
  readonly userId: UserId
  /** Whether billing events leave the tier alone; as it was if undefined. */
  readonly pinned: boolean | undefined
  /** Unchanged if undefined. */
  readonly followed: FollowedPeriod | undefined
}

export interface LinkInput {
  readonly userId: UserId
  readonly customerId: string
  /** The customer that this one replaces; undefined if there was none. */
  readonly replaces: string | undefined
}

export interface Linked {
  /**
   * The person's customer now: a different one if another call was first. Undefined, with nothing linked, if the given
   * customer belongs to another person or to an erased one.
   */
  readonly customerId: string | undefined
  /** Events that waited for it. */
  readonly waiting: ReadonlyArray<StoredPaymentEvent>
}

/** The owner of a reference; `userId` is undefined if the owner was erased. */
export interface Owner {
  readonly userId: UserId | undefined
}

/** A customer of the payment provider whose person comes with a balance from another system. */
export interface AdoptInput {
  readonly userId: UserId
  readonly customerId: string
  /** As in `BillingAccount`. */
  readonly importedAt: number
}

/** The result of adopting customers. */
export interface Adopted {
  /**
   * The people who were left as they were, with their own customer, or undefined if the given customer belongs to
   * another person or to an erased one.
   */
  readonly refused: ReadonlyMap<UserId, string | undefined>
  /** The ids of the events that waited for the customers, oldest first; none in a dry run. */
  readonly waiting: ReadonlyArray<string>
}

/** Stores the customer, the subscriptions, the purchases and the references of each person. */
export class BillingStore extends Context.Service<
  BillingStore,
  {
    /**
     * Locks a person's stored facts until the unit of work ends, writes the input, and returns the facts. No event of the
     * person is applied in between.
     */
    pin(input: PinInput): Effect.Effect<BillingAccount, StorageFailed>
    /** Links a customer to a person who had the one it replaces. */
    link(input: LinkInput): Effect.Effect<Linked, StorageFailed>
    /**
     * Links the customers of imported people, all in one transaction, and keeps the moment of their balances; a
     * repetition changes nothing. With `dryRun` it only returns the refusals.
     */
    adopt(
      people: ReadonlyArray<AdoptInput>,
      options: { readonly dryRun: boolean }
    ): Effect.Effect<Adopted, StorageFailed>
    /** The stored facts of a person. */
    account(userId: UserId): Effect.Effect<BillingAccount, StorageFailed>
    /** A person's purchases, newest first. */
    bought(userId: UserId): Effect.Effect<ReadonlyArray<BoughtCredits>, StorageFailed>
    /**
     * The owner of the first linked reference. Undefined if none is linked, unless `claimed`, the person whose id the event
     * contains, was erased.
     */
    ownerOf(references: ReadonlyArray<string>, claimed?: UserId): Effect.Effect<Owner | undefined, StorageFailed>
  }
>()("@parley/core/billing/BillingStore") {}
