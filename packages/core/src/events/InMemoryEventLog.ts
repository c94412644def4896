import { Context, Effect, Layer } from "effect"
import { IdGenerator } from "../storage/storedForms.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { DeliveryState, Destination } from "./Outbox.ts"
import { ownerOfEvent, type EventDraft, type EventType, TYPES_OF_RECORD } from "./ParleyEvent.ts"
import type { UserId } from "../identity/UserId.ts"

/**
 * Replaces the owner in a key by a pseudonym, because the key of a period's transaction contains its owner
 * (`periodKey`).
 */
export const renameKey = (key: string, userId: UserId, pseudonym: UserId): string =>
  key.replaceAll(`period:${userId}:`, () => `period:${pseudonym}:`)

/** A threshold below which the balances of a tier are low, with the time at which a process last requested it. */
export interface KeptThreshold {
  readonly tier: TierName
  readonly credits: number
  readonly askedAt: number
}

/** A stored destination. */
export interface KeptDestination extends Pick<Destination, "id"> {
  /** The event types of the destination, with the time at which a process last requested each. */
  readonly askedAt: ReadonlyMap<EventType, number>
  readonly thresholds: ReadonlyArray<KeptThreshold>
  readonly seenAt: number
  readonly disabledAt: number | undefined
}

/** A stored delivery of an event to one destination. Times are Unix milliseconds. */
export interface KeptDelivery {
  readonly id: string
  readonly type: EventType
  readonly account: string
  readonly destination: string
  readonly at: number
  readonly data: unknown
  readonly state: DeliveryState
  readonly tries: number
  readonly dueAt: number
  readonly endedAt: number | undefined
  readonly claim: string | undefined
  readonly reason: string | undefined
  /** The position in the feed: the event's number in the log, because units of work run one at a time. */
  readonly place: number
}

/**
 * The log to which the in-memory stores write events, in the unit of work of the change; `InMemoryOutbox` delivers from
 * it. Call it only within a method of a store.
 */
export class InMemoryEventLog extends Context.Service<
  InMemoryEventLog,
  {
    readonly destinations: Map<string, KeptDestination>
    /** The deliveries, by event and destination. */
    readonly deliveries: Map<string, KeptDelivery>
    /** The accounts whose balance was low after its last change. */
    readonly lowBalances: Map<string, true>
    /** Returns true if a destination has subscribed to this type. */
    wants(type: EventType): boolean
    /**
     * Returns the threshold of low balances: the highest that a process requested; undefined if no destination has
     * subscribed.
     */
    lowBelow(tier: TierName): number | undefined
    /** Stores an event for every subscribed destination. */
    tell(draft: EventDraft): void
  }
>()("@parley/core/events/InMemoryEventLog") {
  static readonly layer = Layer.effect(
    InMemoryEventLog,
    Effect.gen(function* () {
      const storage = yield* InMemoryStorage
      const destinations = yield* storage.table<string, KeptDestination>()
      const deliveries = yield* storage.table<string, KeptDelivery>()
      const lowBalances = yield* storage.table<string, true>()
      const run = (yield* (yield* IdGenerator).next).replaceAll("-", "")
      let told = 0
      yield* storage.addPersonalPart({
        count: () => ({}),
        erase: (userId, pseudonym) => {
          for (const [key, delivery] of deliveries) {
            if (delivery.account !== userId) continue
            const isKept = delivery.state !== "delivered" && TYPES_OF_RECORD.includes(delivery.type)
            deliveries.delete(key)
            if (!isKept) continue
            const told = delivery.data as { readonly key: string }
            const data = { ...told, account: pseudonym, key: renameKey(told.key, userId, pseudonym) }
            deliveries.set(key, { ...delivery, account: pseudonym, data })
          }
          lowBalances.delete(userId)
        }
      })
      const toldOf = (type: EventType) =>
        [...destinations.values()].filter(({ askedAt, disabledAt }) => disabledAt === undefined && askedAt.has(type))
      return InMemoryEventLog.of({
        destinations,
        deliveries,
        lowBalances,
        wants: (type) => toldOf(type).length > 0,
        lowBelow: (tier) => {
          const asked = toldOf("balance.low").flatMap(({ thresholds }) =>
            thresholds.filter((each) => each.tier === tier)
          )
          return asked.length === 0 ? undefined : Math.max(...asked.map(({ credits }) => credits))
        },
        tell: ({ at, data, type }) => {
          const id = `evt_${run}${(told++).toString(36)}`
          for (const { id: destination } of toldOf(type)) {
            const delivery = { id, place: told, type, account: ownerOfEvent(data), destination, at, data, tries: 0 }
            const waiting = { state: "pending", endedAt: undefined, claim: undefined, reason: undefined } as const
            deliveries.set(keyOfDelivery(id, destination), { ...delivery, ...waiting, dueAt: at })
          }
        }
      })
    })
  ).pipe(Layer.provide(InMemoryStorage.layer))
}

/** The key of a delivery in the table. */
export const keyOfDelivery = (eventId: string, destination: string): string => `${eventId} ${destination}`
