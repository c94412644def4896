import { Clock, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { sha256OfText } from "../secrets/sha256.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { type AccessChange, type AccessRecord, AccessStore } from "./AccessStore.ts"

interface Stored extends Omit<AccessRecord, "person"> {
  readonly changedAt: number
  /** Set if the person was erased, and no operator has named the id since. */
  readonly isErased?: true
}

const UNCHANGED = { notBefore: undefined, blockedAt: undefined }

const changed = (before: Stored | undefined, change: AccessChange, now: number): Stored => {
  const { blockedAt, notBefore } = before ?? UNCHANGED
  switch (change) {
    case "block":
      return { notBefore, blockedAt: blockedAt ?? now, changedAt: now }
    case "unblock":
      return { notBefore, blockedAt: undefined, changedAt: now }
    case "sign-out":
      return { notBefore: now, blockedAt, changedAt: now }
  }
}

const recordOf = (userId: UserId, { blockedAt, notBefore }: Stored): Effect.Effect<AccessRecord> =>
  Effect.map(sha256OfText(userId), (person) => ({ person, notBefore, blockedAt }))

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const people = yield* storage.table<UserId, Stored>()
  yield* storage.addPersonalPart({
    people: () =>
      [...people].flatMap(([userId, { blockedAt, isErased, notBefore }]) =>
        isErased ? [] : [{ userId, blockedAt, notBefore }]
      ),
    count: () => ({}),
    erase: (userId, _pseudonym, now) =>
      void people.set(userId, { ...changed(people.get(userId), "sign-out", now), isErased: true })
  })
  const find = (userId: UserId) =>
    storage.exclusive(
      Effect.suspend(() => {
        const stored = people.get(userId)
        return stored === undefined ? Effect.undefined : recordOf(userId, stored)
      })
    )
  return AccessStore.of({
    change: ({ change, userId }) =>
      storage.exclusive(
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const stored = changed(people.get(userId), change, now)
          people.set(userId, stored)
          return recordOf(userId, stored)
        })
      ),
    find,
    // `find` is enough as a lock, because units of work run one at a time.
    lock: find,
    since: (moment = -Infinity) =>
      storage.exclusive(
        Effect.gen(function* () {
          const asOf = yield* Clock.currentTimeMillis
          const found = [...people].filter(([, { changedAt }]) => changedAt >= moment)
          return { people: yield* Effect.forEach(found, ([userId, stored]) => recordOf(userId, stored)), asOf }
        })
      )
  })
})

/** The people whose access operators ended, in the memory of one process. */
export const InMemoryAccessStore = { layer: Layer.effect(AccessStore, make).pipe(Layer.provide(InMemoryStorage.layer)) }
