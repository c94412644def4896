import { Context, Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { type Cursor, cursorOfText, notACursor } from "../storage/Cursor.ts"
import type { InvalidInput } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { EventDraft, EventType, ParleyEvent } from "./ParleyEvent.ts"

/** Retention of delivered events, which operators can list, and of dead ones, which they can retry. Milliseconds. */
export const KEEP_DELIVERED_MS = 24 * 3_600_000
export const KEEP_DEAD_MS = 30 * 24 * 3_600_000
/**
 * A destination that no process has served for this long is deleted, and so are the events that have waited for it
 * this long. Milliseconds.
 */
export const FORGET_DESTINATION_MS = 7 * 24 * 3_600_000
/**
 * Interval at which a process renews its subscriptions; a type that no process has asked for in three times as long is
 * no longer delivered. Milliseconds.
 */
export const SUBSCRIBE_EVERY_MS = 5 * 60_000
export const FORGET_TYPE_MS = 3 * SUBSCRIBE_EVERY_MS

/** The threshold of low balances in whole credits, by tier. */
export type LowBelow = Readonly<Record<TierName, number>>

/** A receiver of events: a hook, or one webhook's address. Each has its own progress. */
export interface Destination {
  /** `hook:<name>` or `webhook:<url>`: the same after a restart of the process. */
  readonly id: string
  readonly types: ReadonlyArray<EventType>
}

export interface SubscribeInput {
  /** The destinations of this process. */
  readonly destinations: ReadonlyArray<Destination>
  /** Set if one of them receives low balances. */
  readonly lowBelow: LowBelow | undefined
}

export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const
/** `dead`: its tries are used up, or its destination asked for no further deliveries. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** An event for one destination, claimed by this process. */
export interface ClaimedDelivery {
  /** The person to whom the event belongs. */
  readonly owner: UserId
  readonly event: ParleyEvent
  /** This try included. */
  readonly tries: number
  /** Names the claim: another process may have taken it over meanwhile. */
  readonly claim: string
  /** The span in which the event was written, as a `traceparent`; undefined if there was none, or it is not kept. */
  readonly traceparent?: string | undefined
}

export interface ClaimInput {
  readonly destination: string
  readonly limit: number
  /** Time for which no other process takes the claimed deliveries, in milliseconds. */
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
  /** The time of the next try, or of the end of the claim; of pending deliveries only. */
  readonly dueAt: number | undefined
  readonly endedAt: number | undefined
  /** The reason of the last failed try: a code. */
  readonly reason: string | undefined
}

/** The most deliveries of one state that are counted, so that a look at the destinations costs little. */
export const COUNTED_DELIVERIES = 10_000

/** A destination, as operators see it. */
export interface DestinationRecord extends Destination {
  /** The time when a process last subscribed it, in Unix milliseconds. */
  readonly seenAt: number
  /** When the endpoint answered 410 Gone; delivery is disabled since then. */
  readonly disabledAt: number | undefined
  /** Deliveries that wait, and dead ones: at most `COUNTED_DELIVERIES` of them are counted. */
  readonly pending: number
  readonly dead: number
  /** Milliseconds since the oldest event happened that waits; undefined if none does. */
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

/** Asks for a page of the deliveries about one account. */
export interface AccountDeliveriesInput {
  readonly account: string
  /** The last delivery of the page before; undefined for the first page. */
  readonly after: { readonly eventId: string; readonly destination: string } | undefined
  readonly limit: number
}

/** The destination of the events that back ends read over HTTP. No process delivers them; they are read from the outbox. */
export const FEED = "feed"

/** Asks for a page of the feed. */
export interface FeedInput {
  /** `next` of the page before; undefined for the oldest events. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** A page of the feed. */
export interface FeedEvents {
  readonly events: ReadonlyArray<ParleyEvent>
  /** The position after the last event; `after` if there is none. */
  readonly next: Cursor
}

/** The place of an event in the feed as a cursor: back ends keep it for days. */
export const feedCursor = (place: number): Cursor => cursorOfText(String(place))

/** The place in a cursor of the feed; zero in none. */
export const feedPlace = (cursor: Cursor | undefined): Effect.Effect<number, InvalidInput> =>
  cursor === undefined || /^\d{1,15}$/.test(cursor) ? Effect.succeed(Number(cursor ?? 0)) : Effect.fail(notACursor())

/** Selects dead deliveries to retry: of one event, of one destination, or all. */
export interface RetryDeliveriesInput {
  readonly eventId?: string | undefined
  readonly destination?: string | undefined
}

/**
 * Events that were committed together with the change that they report, on their way to each destination. The
 * store that makes the change writes the event in the same commit, and only for types that a destination subscribed
 * to. Subscriptions are kept in the storage, so that all processes agree, even those without a hook. Changes from
 * before the first subscription are not reported.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Subscribes these destinations to these types from now on, and records that a process serves them. A destination
     * has every type that any process asked for in the last `FORGET_TYPE_MS`, so a process with an older configuration
     * removes none of a newer one. The same holds for thresholds: the highest that any process asked for counts, for
     * each tier. A disabled destination stays disabled.
     */
    subscribe(input: SubscribeInput): Effect.Effect<void, StorageFailed>
    /** Stores an event that reports no change of the storage, for every destination that subscribed to its type. */
    publish(draft: EventDraft): Effect.Effect<void, StorageFailed>
    /** Claims due deliveries, longest due first: those without a claim, or with an expired one. */
    claim(input: ClaimInput): Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageFailed>
    /**
     * Records the outcome of a try. A delivered event stays delivered, even if another process holds the claim by
     * then; any other outcome of a claim that another process has taken over is ignored.
     */
    conclude(input: ConcludeDeliveryInput): Effect.Effect<void, StorageFailed>
    /**
     * Disables a destination: its pending events become dead, and no new ones are stored for it until it is retried.
     */
    disable(destination: string): Effect.Effect<void, StorageFailed>
    /** Deletes deliveries after their retention time, at most `limit`; returns their number. */
    prune(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/events/Outbox") {}

/** The deliveries of the outbox, as operators and exports read them. */
export class DeliveryRecords extends Context.Service<
  DeliveryRecords,
  {
    /** Deliveries, the newest event first. */
    list(input: ListDeliveriesInput): Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageFailed>
    /** All deliveries about one account, in the order of their event ids and their destinations. */
    ofAccount(input: AccountDeliveriesInput): Effect.Effect<ReadonlyArray<AccountDelivery>, StorageFailed>
    /**
     * Events of the feed in the order in which they can first be read. An event that is committed later never gets a place
     * before one that was read, so a reader that continues with `next` misses none. Kept for `FORGET_DESTINATION_MS`.
     * Fails with `InvalidInput` if `after` is not a cursor of this store.
     */
    feed(input: FeedInput): Effect.Effect<FeedEvents, InvalidInput | StorageFailed>
    /** The destinations, by their ids. */
    readonly destinations: Effect.Effect<ReadonlyArray<DestinationRecord>, StorageFailed>
    /**
     * Retries dead deliveries, with as many tries as new ones, and enables their destinations; returns their number.
     * Those of a deleted destination stay dead until a process subscribes it.
     */
    retry(input: RetryDeliveriesInput): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/events/DeliveryRecords") {}
