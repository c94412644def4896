import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { BillingAccount, BoughtCredits, StoredPaymentEvent } from "./BillingAccount.ts"
import type { FollowedPeriod } from "./FollowedPeriod.ts"

export interface PinInput {
  readonly userId: UserId
  /** Whether billing events leave the tier alone; as it was if undefined. */
  readonly pinned: boolean | undefined
  /** As it was if undefined. */
  readonly followed: FollowedPeriod | undefined
}

export interface LinkInput {
  readonly userId: UserId
  readonly customerId: string
  /** The customer that this one takes the place of; undefined where there was none. */
  readonly replaces: string | undefined
}

export interface Linked {
  /**
   * The person's customer now: another one, where another call was first. Undefined where the one given is somebody
   * else's, also of somebody who was erased: nothing is linked then.
   */
  readonly customerId: string | undefined
  /** Events that waited for it. */
  readonly waiting: ReadonlyArray<StoredPaymentEvent>
}

/** Whose something is; of nobody any more, where they were erased. */
export interface Owner {
  readonly userId: UserId | undefined
}

/** Stores the customer, the subscriptions, the purchases and the references of each person. */
export class BillingStore extends Context.Service<
  BillingStore,
  {
    /**
     * Locks what is known of a person until the unit of work ends, writes what is given, and returns what is known then:
     * no event is applied for the person in between.
     */
    pin(input: PinInput): Effect.Effect<BillingAccount, StorageFailed>
    /** Links a customer to a person who had the one it replaces. */
    link(input: LinkInput): Effect.Effect<Linked, StorageFailed>
    /** What is known of a person. */
    account(userId: UserId): Effect.Effect<BillingAccount, StorageFailed>
    /** What a person bought, newest first. */
    bought(userId: UserId): Effect.Effect<ReadonlyArray<BoughtCredits>, StorageFailed>
    /** Whom the first of some references names that is linked; undefined where none is. */
    ownerOf(references: ReadonlyArray<string>): Effect.Effect<Owner | undefined, StorageFailed>
  }
>()("@parley/core/billing/BillingStore") {}
