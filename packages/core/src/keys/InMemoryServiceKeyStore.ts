import { Clock, Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import type { ServiceKey, ServiceKeyState } from "./ServiceKey.ts"
import { type FoundServiceKey, NOTE_USE_EVERY_MS, ServiceKeyStore } from "./ServiceKeyStore.ts"

interface Stored extends Omit<ServiceKey, "state"> {
  readonly digest: string
  readonly previousDigest: string | undefined
}

const stateOf = ({ expiresAt, revokedAt }: Stored, now: number): ServiceKeyState => {
  if (revokedAt !== undefined) return "revoked"
  return expiresAt !== undefined && expiresAt <= now ? "expired" : "active"
}

const keyOf = ({ digest: _digest, previousDigest: _previous, ...key }: Stored, state: ServiceKeyState): ServiceKey => ({
  ...key,
  state
})

const foundOf = (stored: Stored, now: number): FoundServiceKey => {
  const { digest, previousDigest, previousUntil = -Infinity } = stored
  const previous = previousDigest !== undefined && previousUntil > now ? [previousDigest] : []
  return { ...keyOf(stored, stateOf(stored, now)), digests: [digest, ...previous] }
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const keys = yield* storage.table<string, Stored>()
  const atNow = <A>(work: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, work))

  /** Changes a key if it exists, and returns the key. */
  const change = (id: string, to: (stored: Stored, now: number) => Stored | undefined) =>
    atNow((now) => {
      const stored = keys.get(id)
      const changed = stored && to(stored, now)
      if (changed === undefined) return undefined
      keys.set(id, changed)
      return keyOf(changed, stateOf(changed, now))
    })

  return ServiceKeyStore.of({
    insert: ({ digest, ...key }) =>
      atNow((now) => {
        const unused = { revokedAt: undefined, previousUntil: undefined, lastUsedAt: undefined }
        const stored: Stored = { ...key, ...unused, createdAt: now, digest, previousDigest: undefined }
        keys.set(key.id, stored)
        return keyOf(stored, stateOf(stored, now))
      }),
    find: (id) =>
      atNow((now) => {
        const stored = keys.get(id)
        return stored && foundOf(stored, now)
      }),
    list: atNow((now) => [...keys.values()].map((stored) => keyOf(stored, stateOf(stored, now))).toReversed()),
    rotate: ({ digest, id, overlapMs }) =>
      change(id, (stored, now) =>
        stateOf(stored, now) === "active"
          ? { ...stored, digest, previousDigest: stored.digest, previousUntil: now + overlapMs }
          : undefined
      ),
    revoke: (id) => change(id, (stored, now) => ({ ...stored, revokedAt: stored.revokedAt ?? now })),
    noteUse: (id) =>
      Effect.asVoid(
        change(id, (stored, now) =>
          now - (stored.lastUsedAt ?? -Infinity) < NOTE_USE_EVERY_MS ? undefined : { ...stored, lastUsedAt: now }
        )
      )
  })
})

/** Service keys in the memory of one process. */
export const InMemoryServiceKeyStore = {
  layer: Layer.effect(ServiceKeyStore, make).pipe(Layer.provide(InMemoryStorage.layer))
}
