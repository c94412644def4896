import { Context, Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { type Cursor, cursorOfText, notACursor } from "../storage/Cursor.ts"
import type { InvalidInput } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { EventDraft, EventType, ParleyEvent } from "./ParleyEvent.ts"

/**
 * Milliseconds for which delivered events are stored, so that operators can list them; `KEEP_DEAD_MS` for dead ones,
 * which operators can retry.
 */
export const KEEP_DELIVERED_MS = 24 * 3_600_000
export const KEEP_DEAD_MS = 30 * 24 * 3_600_000
/**
 * Milliseconds: a destination that no process has served for this time is deleted, and so are the events that have
 * waited for it for this time.
 */
export const FORGET_DESTINATION_MS = 7 * 24 * 3_600_000
/**
 * Milliseconds after which a process renews its subscriptions. A type that no process has requested for three times as
 * long is no longer delivered.
 */
export const SUBSCRIBE_EVERY_MS = 5 * 60_000
export const FORGET_TYPE_MS = 3 * SUBSCRIBE_EVERY_MS

/** The threshold of low balances in whole credits, by tier. */
export type LowBelow = Readonly<Record<TierName, number>>

/** A receiver of events: a hook, or the address of one webhook. Each has its own progress. */
export interface Destination {
  /** `hook:<name>` or `webhook:<url>`: stays the same when the process restarts. */
  readonly id: string
  readonly types: ReadonlyArray<EventType>
}

export interface SubscribeInput {
  /** The destinations of this process. */
  readonly destinations: ReadonlyArray<Destination>
  /** Set if one of the destinations receives the event `balance.low`. */
  readonly lowBelow: LowBelow | undefined
}

export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const
/** `dead`: the last try failed, or the destination requested that nothing more is delivered to it. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** An event for one destination, claimed by this process. */
export interface ClaimedDelivery {
  /** The person to whom the event belongs. */
  readonly owner: UserId
  readonly event: ParleyEvent
  /** The number of tries, including this one. */
  readonly tries: number
  /** The name of the claim. Another process may have claimed the delivery meanwhile. */
  readonly claim: string
  /**
   * The span in which the event was written, as a `traceparent`; undefined if there was none, or if it was not stored.
   */
  readonly traceparent?: string | undefined
}

export interface ClaimInput {
  readonly destination: string
  readonly limit: number
  /** Milliseconds for which no other process can claim these deliveries. */
  readonly leaseMs: number
}

/** The outcome of a try. Reasons are codes, never the text of a failure. */
export type DeliveryOutcome =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Retry"; readonly afterMs: number; readonly reason: string }
  | { readonly _tag: "Dead"; readonly reason: string }

export interface ConcludeDeliveryInput {
  readonly destination: string
  readonly delivery: ClaimedDelivery
  readonly outcome: DeliveryOutcome
}

/** A delivery of an event to one destination, for operators. */
export interface DeliveryRecord {
  readonly eventId: string
  readonly type: EventType
  readonly account: string
  readonly destination: string
  readonly state: DeliveryState
  readonly tries: number
  /** Unix milliseconds, like all times here. */
  readonly createdAt: number
  /** The time of the next try, or of the end of the claim; only for pending deliveries. */
  readonly dueAt: number | undefined
  readonly endedAt: number | undefined
  /** The reason for which the last try failed: a code. */
  readonly reason: string | undefined
}

/** The maximum count of deliveries of one state, so that reading the destinations costs little. */
export const COUNTED_DELIVERIES = 10_000

/** A destination, for operators. */
export interface DestinationRecord extends Destination {
  /** Unix milliseconds: the time at which a process last subscribed the destination. */
  readonly seenAt: number
  /** Unix milliseconds: the time at which the endpoint answered 410 Gone; delivery has been disabled since then. */
  readonly disabledAt: number | undefined
  /** The numbers of pending and of dead deliveries, each counted up to `COUNTED_DELIVERIES`. */
  readonly pending: number
  readonly dead: number
  /** Milliseconds since the time of the oldest waiting event; undefined if no event waits. */
  readonly oldestMs: number | undefined
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

/** Selects a page of the deliveries of events about one account. */
export interface AccountDeliveriesInput {
  readonly account: string
  /** The last delivery of the previous page; undefined for the first page. */
  readonly after: { readonly eventId: string; readonly destination: string } | undefined
  readonly limit: number
}

/**
 * The destination for events that back ends read over HTTP. No process delivers them; they are read from the outbox.
 */
export const FEED = "feed"

/** Selects a page of the feed. */
export interface FeedInput {
  /** The `next` of the previous page; undefined for the oldest events. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** A page of the feed. */
export interface FeedEvents {
  readonly events: ReadonlyArray<ParleyEvent>
  /** The position after the last event; equal to `after` if the page is empty. */
  readonly next: Cursor
}

/** The position of an event in the feed as a cursor; back ends may store it for days. */
export const feedCursor = (place: number): Cursor => cursorOfText(String(place))

/** The position in a cursor of the feed; zero without a cursor. */
export const feedPlace = (cursor: Cursor | undefined): Effect.Effect<number, InvalidInput> =>
  cursor === undefined || /^\d{1,15}$/.test(cursor) ? Effect.succeed(Number(cursor ?? 0)) : Effect.fail(notACursor())

/** Selects dead deliveries to retry: of one event, of one destination, or all. */
export interface RetryDeliveriesInput {
  readonly eventId?: string | undefined
  readonly destination?: string | undefined
}

/**
 * The events that were committed together with the change that they report, and their deliveries to each destination.
 * The store that makes the change writes the event in the same commit, and only if a destination has subscribed to its
 * type. Subscriptions are stored, so that all processes use the same, even processes without a hook. Changes from
 * before the first subscription are not reported.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Subscribes these destinations to these types from now on, and records that a process serves them. A destination
     * has all types that any process requested in the last `FORGET_TYPE_MS`, so a process with an older configuration
     * removes no type of a newer one. In the same way the highest requested threshold of each tier applies. A disabled
     * destination stays disabled.
     */
    subscribe(input: SubscribeInput): Effect.Effect<void, StorageFailed>
    /**
     * Stores an event that does not report a change of the storage, for every destination that has subscribed to its
     * type.
     */
    publish(draft: EventDraft): Effect.Effect<void, StorageFailed>
    /** Claims due deliveries without a claim, or with an expired one; those due for the longest time first. */
    claim(input: ClaimInput): Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageFailed>
    /**
     * Records the outcome of a try. A delivered event stays delivered, even if another process has the claim by then;
     * any other outcome is ignored if another process has taken over the claim.
     */
    conclude(input: ConcludeDeliveryInput): Effect.Effect<void, StorageFailed>
    /**
     * Disables a destination: its pending events become dead, and no new events are stored for it until its deliveries
     * are retried.
     */
    disable(destination: string): Effect.Effect<void, StorageFailed>
    /** Deletes deliveries after their retention time, at most `limit`; returns their number. */
    prune(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/events/Outbox") {}

/** Reads the deliveries of the outbox, for operators and exports. */
export class DeliveryRecords extends Context.Service<
  DeliveryRecords,
  {
    /** Lists deliveries, the newest event first. */
    list(input: ListDeliveriesInput): Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageFailed>
    /** Lists all deliveries of events about one account, in the order of their event ids and destinations. */
    ofAccount(input: AccountDeliveriesInput): Effect.Effect<ReadonlyArray<AccountDelivery>, StorageFailed>
    /**
     * Returns events of the feed in a fixed order. An event that is committed later never gets a position before one
     * that was read, so a reader that continues with `next` misses no event. Events are stored for
     * `FORGET_DESTINATION_MS`. Fails with `InvalidInput` if `after` is not a cursor of this store.
     */
    feed(input: FeedInput): Effect.Effect<FeedEvents, InvalidInput | StorageFailed>
    /** The destinations, in the order of their ids. */
    readonly destinations: Effect.Effect<ReadonlyArray<DestinationRecord>, StorageFailed>
    /**
     * Retries dead deliveries, with as many tries as new ones, and enables their destinations; returns their number.
     * Deliveries to a deleted destination stay dead until a process subscribes it again.
     */
    retry(input: RetryDeliveriesInput): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/events/DeliveryRecords") {}
