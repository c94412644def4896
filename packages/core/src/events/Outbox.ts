import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { EventType, ParleyEvent } from "./ParleyEvent.ts"

/** How long what was delivered is kept, for operators to look at; what is dead, for them to retry. Milliseconds. */
export const KEEP_DELIVERED_MS = 24 * 3_600_000
export const KEEP_DEAD_MS = 30 * 24 * 3_600_000
/** A destination that no process has served for so long is forgotten, and so is what has waited for it so long. Milliseconds. */
export const FORGET_DESTINATION_MS = 7 * 24 * 3_600_000
/** How often a process says what it delivers to; a type that none has asked for in three times as long is told no more. Milliseconds. */
export const SUBSCRIBE_EVERY_MS = 5 * 60_000
export const FORGET_TYPE_MS = 3 * SUBSCRIBE_EVERY_MS

/** Below what a balance is low, in whole credits, by tier. */
export type LowBelow = Readonly<Record<TierName, number>>

/** Where events are delivered to: a hook, or one webhook's address. Each has its own progress. */
export interface Destination {
  /** `hook:<name>` or `webhook:<url>`: what a process that is started anew knows it by. */
  readonly id: string
  readonly types: ReadonlyArray<EventType>
}

export interface SubscribeInput {
  /** What this process delivers to. */
  readonly destinations: ReadonlyArray<Destination>
  /** Where one of them is told of low balances. */
  readonly lowBelow: LowBelow | undefined
}

export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const
/** `dead`: it was tried as often as it may be, or its destination wants nothing more. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** An event that is to be delivered to one destination by the process that has claimed it. */
export interface ClaimedDelivery {
  readonly event: ParleyEvent
  /** This try included. */
  readonly tries: number
  /** Names the claim: another process may have taken it over meanwhile. */
  readonly claim: string
}

export interface ClaimInput {
  readonly destination: string
  readonly limit: number
  /** How long no other process takes what is claimed, in milliseconds. */
  readonly leaseMs: number
}

/** What became of a try. Reasons are codes, never the text of a failure. */
export type DeliveryOutcome =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Retry"; readonly afterMs: number; readonly reason: string }
  | { readonly _tag: "Dead"; readonly reason: string }

export interface ConcludeDeliveryInput {
  readonly destination: string
  readonly delivery: ClaimedDelivery
  readonly outcome: DeliveryOutcome
}

/** An event on its way to one destination, as operators see it. */
export interface DeliveryRecord {
  readonly eventId: string
  readonly type: EventType
  readonly account: string
  readonly destination: string
  readonly state: DeliveryState
  readonly tries: number
  /** Unix milliseconds, as the others. */
  readonly createdAt: number
  /** When it is tried next, or its claim ends; of what is pending. */
  readonly dueAt: number | undefined
  readonly endedAt: number | undefined
  /** Why the last try failed: a code. */
  readonly reason: string | undefined
}

/** A destination, as operators see it. */
export interface DestinationRecord extends Destination {
  /** When a process that serves it last said so. Unix milliseconds. */
  readonly seenAt: number
  /** It wants nothing more (410), since then. */
  readonly disabledAt: number | undefined
  readonly pending: number
  readonly dead: number
}

export interface ListDeliveriesInput {
  readonly state?: DeliveryState | undefined
  readonly destination?: string | undefined
  readonly limit: number
}

/** A delivery of an event about one account, with the event. */
export interface AccountDelivery {
  readonly event: ParleyEvent
  readonly destination: string
  readonly state: DeliveryState
}

/** Asks for a page of the deliveries about one account. */
export interface AccountDeliveriesInput {
  readonly account: string
  /** The last delivery of the page before; undefined for the first page. */
  readonly after: { readonly eventId: string; readonly destination: string } | undefined
  readonly limit: number
}

/** Which dead deliveries are to be tried again: of one event, of one destination, or all. */
export interface RetryDeliveriesInput {
  readonly eventId?: string | undefined
  readonly destination?: string | undefined
}

/**
 * Events that were committed together with what they tell of, and their way to each destination.
 *
 * What writes an event is the store of what it tells of, in the same commit, and only for the types that a destination
 * known here wants: who subscribes is kept in the storage, so that all processes agree, also those without a hook. What is
 * committed before the first subscription is not told.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Has events of these types kept for these destinations from now on, and says that they are served. A destination has the
     * types that any process asked for in the last `FORGET_TYPE_MS`: one of an older configuration takes none away from one of
     * a newer. So it is with thresholds: of those that any process asked for, the highest of each tier counts, whichever asked
     * last. One that wants nothing more stays so.
     */
    subscribe(input: SubscribeInput): Effect.Effect<void, StorageFailed>
    /** Claims deliveries that are due, the longest due first: those without a claim, or whose claim has ended. */
    claim(input: ClaimInput): Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageFailed>
    /**
     * Notes what became of a try. What was delivered stays so, whichever process held the claim by then; other outcomes of a claim
     * that another process has taken over change nothing.
     */
    conclude(input: ConcludeDeliveryInput): Effect.Effect<void, StorageFailed>
    /** Tells a destination nothing more: what waits for it is dead, and nothing is kept for it until it is retried. */
    disable(destination: string): Effect.Effect<void, StorageFailed>
    /** Deliveries, the newest event first. */
    list(input: ListDeliveriesInput): Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageFailed>
    /** The deliveries about one account, whatever their state, in the order of their events' ids and their destinations. */
    ofAccount(input: AccountDeliveriesInput): Effect.Effect<ReadonlyArray<AccountDelivery>, StorageFailed>
    /** The destinations, by their ids. */
    readonly destinations: Effect.Effect<ReadonlyArray<DestinationRecord>, StorageFailed>
    /**
     * Has dead deliveries tried again, as often as new ones, and their destinations told again; gives how many. Those of a
     * destination that is forgotten stay dead until somebody subscribes it.
     */
    retry(input: RetryDeliveriesInput): Effect.Effect<number, StorageFailed>
    /** Deletes what was kept for long enough, at most `limit` deliveries; gives how many. */
    prune(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/events/Outbox") {}
