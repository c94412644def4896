import { Clock, Context, Effect, Layer } from "effect"
import { repeatWork } from "../background/repeatWork.ts"
import { LowBalance, lowBelow } from "../events/LowBalance.ts"
import { DeliveryRecords, FEED, type FeedInput, Outbox, SUBSCRIBE_EVERY_MS } from "../events/Outbox.ts"
import { EVENT_TYPES, type ParleyEvent } from "../events/ParleyEvent.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { ServiceKeyStore } from "./ServiceKeyStore.ts"

/** A page of events, the oldest first. */
export interface FeedPage {
  readonly events: ReadonlyArray<ParleyEvent>
  /** The place of the last event; where the page is empty, the place that was asked for. */
  readonly next: number
}

/** Events that back ends read over HTTP. They are stored while a service key with the scope `events:read` is active. */
export class EventFeed extends Context.Service<
  EventFeed,
  {
    /** Events after a place. Stores events from the first read on, at the latest. */
    read(input: FeedInput): Effect.Effect<FeedPage, StorageFailed>
    /** Has events stored while a key may read them, until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/keys/EventFeed") {
  static readonly layer = Layer.effect(
    EventFeed,
    Effect.gen(function* () {
      const keys = yield* ServiceKeyStore
      const outbox = yield* Outbox
      const records = yield* DeliveryRecords
      const threshold = lowBelow(yield* LowBalance, yield* Catalog)
      let subscribedAt = -Infinity

      const subscribe = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* outbox.subscribe({ destinations: [{ id: FEED, types: EVENT_TYPES }], lowBelow: threshold })
        subscribedAt = now
      })

      const keep = Effect.gen(function* () {
        const all = yield* keys.list
        if (all.some(({ scopes, state }) => state === "active" && scopes.includes("events:read"))) yield* subscribe
      })

      return EventFeed.of({
        read: Effect.fn("EventFeed.read")(function* (input) {
          const now = yield* Clock.currentTimeMillis
          if (Math.abs(now - subscribedAt) >= SUBSCRIBE_EVERY_MS) yield* subscribe
          const found = yield* records.feed(input)
          return { events: found.map(({ event }) => event), next: found.at(-1)?.place ?? input.after }
        }),
        run: repeatWork(keep, {
          every: SUBSCRIBE_EVERY_MS,
          report: () => Effect.void,
          onFailure: Effect.logWarning("Events could not be subscribed for back ends; trying again in some minutes.")
        })
      })
    })
  )
}
