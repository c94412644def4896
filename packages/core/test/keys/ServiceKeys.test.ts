import fc from "fast-check"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createParley, openInMemory, type Parley } from "../../src/index.ts"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { InMemoryAuditLog } from "../../src/audit/InMemoryAuditLog.ts"
import { InMemoryServiceKeyStore } from "../../src/keys/InMemoryServiceKeyStore.ts"
import { serviceKeyIdIn } from "../../src/keys/ServiceKey.ts"
import { ServiceKeys } from "../../src/keys/ServiceKeys.ts"
import { ServiceKeyStore } from "../../src/keys/ServiceKeyStore.ts"
import { SecurityEvents } from "../../src/security/SecurityEvents.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { StorageFailed } from "../../src/storage/StorageFailed.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryStorage.ts"

const HOUR_MS = 3_600_000

const stores = Layer.mergeAll(InMemoryServiceKeyStore.layer, InMemoryAuditLog.layer, InMemoryUnitOfWork.layer)
const securityLayer = Layer.provide(SecurityEvents.layer, inMemoryStorageLayer)
const layer = ServiceKeys.layer.pipe(Layer.provide(securityLayer), Layer.provideMerge(stores))

const run = <A, E>(work: Effect.Effect<A, E, ServiceKeys | ServiceKeyStore | AuditLog>) =>
  Effect.runPromise(Effect.provide(work, Layer.merge(layer, TestClock.layer())))

const problemOf = (text: string) =>
  ServiceKeys.use((keys) => keys.prove(text)).pipe(
    Effect.as("proven"),
    Effect.catchTag("ServiceKeyInvalid", ({ problem }) => Effect.succeed(problem))
  )

describe("a service key", () => {
  test("is proven by its whole text alone: no change of it, and no key made of two, counts", () =>
    run(
      Effect.gen(function* () {
        const keys = yield* ServiceKeys
        const [one, two] = [
          yield* keys.create({ name: "one", scopes: ["credits:read"] }),
          yield* keys.create({ name: "two", scopes: ["credits:grant"] })
        ]
        expect(one.key).toMatch(/^parley_sk_[0-9a-f]{16}_[0-9a-f]{64}$/)
        expect(serviceKeyIdIn(one.key)).toBe(one.id)
        expect(yield* keys.prove(one.key)).toMatchObject({ id: one.id, name: "one", scopes: ["credits:read"] })
        const [secretOfOne, secretOfTwo] = [one.key.slice(27), two.key.slice(27)]
        expect(yield* problemOf(`parley_sk_${one.id}_${secretOfTwo}`)).toBe("unknown")
        expect(yield* problemOf(`parley_sk_${two.id}_${secretOfOne}`)).toBe("unknown")
        const context = yield* Effect.context<ServiceKeys>()
        const anyCharacter = fc.oneof(fc.constantFrom(..."0123456789abcdef"), fc.string({ maxLength: 3 }))
        const tampered = fc
          .tuple(fc.nat({ max: one.key.length }), fc.nat({ max: 2 }), anyCharacter)
          .map(([at, removed, added]) => `${one.key.slice(0, at)}${added}${one.key.slice(at + removed)}`)
          .filter((text) => text !== one.key)
        const property = fc.asyncProperty(fc.oneof(tampered, fc.string()), async (text) => {
          const problem = await Effect.runPromise(Effect.provideContext(problemOf(text), context))
          expect(["malformed", "unknown"]).toContain(problem)
        })
        yield* Effect.promise(() => fc.assert(property, { numRuns: 500 }))
      })
    ))

  test("counts for a day beside its successor, unless the rotation ends it, and never after its expiry", () =>
    run(
      Effect.gen(function* () {
        const keys = yield* ServiceKeys
        const { id, key: first } = yield* keys.create({
          name: "k",
          scopes: ["events:read"],
          expiresAt: 60 * HOUR_MS
        })
        const { key: second } = yield* keys.rotate({ id })
        expect([yield* problemOf(first), yield* problemOf(second)]).toEqual(["proven", "proven"])
        yield* TestClock.adjust("24 hours")
        expect([yield* problemOf(first), yield* problemOf(second)]).toEqual(["unknown", "proven"])
        const { key: third } = yield* keys.rotate({ id, endsNow: true })
        expect([yield* problemOf(second), yield* problemOf(third)]).toEqual(["unknown", "proven"])
        yield* TestClock.adjust("36 hours")
        expect(yield* problemOf(third)).toBe("expired")
        expect(yield* Effect.flip(keys.rotate({ id }))).toMatchObject({
          code: "service_key_inactive",
          state: "expired"
        })
        yield* keys.revoke(id)
        expect(yield* problemOf(third)).toBe("revoked")
        expect(yield* Effect.flip(keys.rotate({ id }))).toMatchObject({ state: "revoked" })
        expect(yield* Effect.flip(keys.revoke("none"))).toMatchObject({ code: "service_key_not_found" })
      })
    ))

  test("has its changes in the audit log, and its text neither there nor in the storage", () =>
    run(
      Effect.gen(function* () {
        const keys = yield* ServiceKeys
        const asked = { by: "ann", reason: "a test" }
        const { id, key } = yield* keys.create({ name: "k", scopes: ["events:read", "events:read"] }, asked)
        const { key: next } = yield* keys.rotate({ id })
        yield* keys.revoke(id)
        yield* Effect.flip(keys.rotate({ id }))
        const entries = yield* AuditLog.use((log) =>
          log.list({ userId: undefined, since: undefined, before: undefined, limit: 9 })
        )
        expect(entries.map(({ action }) => action)).toEqual(["keys revoke", "keys rotate", "keys create"])
        expect(entries.at(-1)).toMatchObject({ ...asked, userId: undefined, details: `${id} "k" events:read` })
        const stored = JSON.stringify([
          entries,
          yield* keys.list,
          yield* ServiceKeyStore.use((store) => store.find(id))
        ])
        for (const text of [key, next]) expect(stored).not.toContain(text.slice(27))
      })
    ))

  test("is recorded as used at most once a minute, and is proven while that cannot be recorded", () => {
    let noted = 0
    const counting = Layer.effect(
      ServiceKeyStore,
      Effect.map(ServiceKeyStore, (store) =>
        ServiceKeyStore.of({
          ...store,
          noteUse: () =>
            Effect.suspend(() => {
              noted += 1
              return Effect.fail(new StorageFailed({ operation: "noteUse", retryable: true, cause: "down" }))
            })
        })
      )
    ).pipe(Layer.provide(InMemoryServiceKeyStore.layer))
    const counted = ServiceKeys.layer.pipe(
      Layer.provide(securityLayer),
      Layer.provide(Layer.mergeAll(counting, InMemoryAuditLog.layer, InMemoryUnitOfWork.layer))
    )
    const work = Effect.gen(function* () {
      const keys = yield* ServiceKeys
      const { key } = yield* keys.create({ name: "k", scopes: ["events:read"] })
      const proveMany = Effect.all(
        Array.from({ length: 20 }, () => keys.prove(key)),
        { concurrency: "unbounded" }
      )
      yield* proveMany
      yield* TestClock.adjust("59 seconds")
      yield* proveMany
      expect(noted).toBe(1)
      yield* TestClock.adjust("1 second")
      yield* proveMany
      yield* TestClock.adjust("0 seconds")
      expect(noted).toBe(2)
    })
    return Effect.runPromise(Effect.provide(work, Layer.merge(counted, TestClock.layer())))
  })
})

describe("parley.keys", () => {
  let parley: Parley
  beforeAll(async () => {
    parley = await createParley({ ...(await openInMemory()), work: false })
  })
  afterAll(() => parley.close())

  test("creates, lists, rotates and revokes", async () => {
    const { key, ...created } = await parley.keys.create({ name: "python", scopes: ["credits:read"] })
    expect(await parley.keys.list()).toEqual([created])
    const rotated = await parley.keys.rotate({ id: created.id })
    expect(rotated.key).not.toBe(key)
    expect(await parley.keys.revoke(created.id)).toMatchObject({ id: created.id, state: "revoked" })
    await expect(parley.keys.rotate({ id: created.id })).rejects.toMatchObject({ code: "service_key_inactive" })
  })

  test.each([
    ["no scope", { scopes: [] }],
    ["another scope", { scopes: ["all"] }],
    ["a blank name", { name: " " }],
    ["a name of two lines", { name: "a\nb" }],
    ["an expiry in the past", { expiresAt: Date.now() }],
    ["an expiry beyond the last time of a Date", { expiresAt: 9e15 }],
    ["an expiry that is no time", { expiresAt: Number.NaN }]
  ])("refuses %s", async (_, wrong) => {
    const input = { name: "k", scopes: ["credits:read"], ...wrong } as Parameters<Parley["keys"]["create"]>[0]
    const before = await parley.keys.list()
    await expect(parley.keys.create(input)).rejects.toMatchObject({ code: "invalid_input" })
    expect(await parley.keys.list()).toEqual(before)
  })
})
