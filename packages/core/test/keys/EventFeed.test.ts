import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { EventDelivery } from "../../src/events/EventDelivery.ts"
import { Outbox } from "../../src/events/Outbox.ts"
import { EventFeed } from "../../src/keys/EventFeed.ts"
import { ServiceKeyStore } from "../../src/keys/ServiceKeyStore.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { chargeOf, newAccount } from "../../src/testing/events/outboxFixtures.ts"
import { Catalog } from "../../src/tiers/Catalog.ts"
import { defaultCatalog } from "../../src/tiers/shippedCatalog.ts"

const layer = Layer.mergeAll(EventFeed.layer, EventDelivery.layer).pipe(
  Layer.provideMerge(Layer.merge(inMemoryStorageLayer, Layer.succeed(Catalog, defaultCatalog))),
  Layer.provideMerge(TestClock.layer())
)

const keysRead = EventFeed.use((feed) => feed.read({ after: undefined, limit: 9 })).pipe(
  Effect.map(({ events }) => events.flatMap((event) => (event.type === "credits.charged" ? [event.data.key] : [])))
)
const key = { id: "k", name: "k", digest: "0".repeat(64), expiresAt: undefined }

test("events are stored while a key may read them, for seven days, and not before", () =>
  Effect.gen(function* () {
    const store = yield* ServiceKeyStore
    const { prune } = yield* Outbox
    const keeping = yield* Effect.forkScoped(EventFeed.use(({ run }) => run))
    const userId = yield* newAccount(100)
    yield* store.insert({ ...key, scopes: ["credits:read"] })
    yield* TestClock.adjust("6 minutes")
    yield* chargeOf(userId, "before", 1)
    yield* store.insert({ ...key, scopes: ["events:read"] })
    yield* TestClock.adjust("6 minutes")
    yield* chargeOf(userId, "stored", 1)
    yield* Fiber.interrupt(keeping)
    expect(yield* keysRead).toEqual(["stored"])
    yield* TestClock.adjust("6 days")
    yield* prune({ limit: 9 })
    expect(yield* keysRead).toEqual(["stored"])
    yield* TestClock.adjust("2 days")
    yield* prune({ limit: 9 })
    expect(yield* keysRead).toEqual([])
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise))

test("events are stored from the first read on without background work", () =>
  Effect.gen(function* () {
    const userId = yield* newAccount(100)
    yield* chargeOf(userId, "before", 1)
    expect(yield* keysRead).toEqual([])
    yield* chargeOf(userId, "after", 1)
    expect(yield* keysRead).toEqual(["after"])
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise))
