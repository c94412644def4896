import { Clock, Context, Effect, Layer } from "effect"
import { repeatWork } from "../background/repeatWork.ts"
import { LowBalance, lowBelow } from "../events/LowBalance.ts"
import { DeliveryRecords, FEED, Outbox, SUBSCRIBE_EVERY_MS } from "../events/Outbox.ts"
import { EVENT_TYPES, type ParleyEvent } from "../events/ParleyEvent.ts"
import { cursorOfText } from "../storage/Cursor.ts"
import type { InvalidInput } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { ServiceKeyStore } from "./ServiceKeyStore.ts"

/** Selects a page of events. */
export interface FeedAsked {
  /** The `next` of the previous page; undefined for the oldest events. */
  readonly after: string | undefined
  readonly limit: number
}

/** A page of events, the oldest first. */
export interface FeedPage {
  readonly events: ReadonlyArray<ParleyEvent>
  /** The position after the last event; equal to `after` if this page is empty. */
  readonly next: string
}

/**
 * The events that back ends read over HTTP. Events are stored while a service key with the scope `events:read` is
 * active.
 */
export class EventFeed extends Context.Service<
  EventFeed,
  {
    /** Returns the events after a position. Events are stored at the latest from the first read on. */
    read(input: FeedAsked): Effect.Effect<FeedPage, InvalidInput | StorageFailed>
    /** Subscribes to events while an active key may read them, until interrupted. */
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
          return yield* records.feed({ ...input, after: cursorOfText(input.after) })
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
