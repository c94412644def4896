import { Clock, Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { operatorOf } from "./ActionAsked.ts"
import { AUDIT_KEPT_MS, AuditLog, type StoredAuditEntry } from "./AuditLog.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const entries = yield* storage.table<number, StoredAuditEntry>()
  let newest = 0
  yield* storage.addPersonalPart({
    count: () => ({}),
    erase: (userId, pseudonym) => {
      for (const [number, entry] of entries) {
        const about = entry.userId === userId ? { userId: pseudonym, reason: undefined, details: "" } : {}
        const by = entry.by === operatorOf(userId) ? { by: pseudonym, address: undefined } : {}
        entries.set(number, { ...entry, ...about, ...by })
      }
    }
  })
  return AuditLog.of({
    record: (entry) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (at) => {
          const number = ++newest
          entries.set(number, { ...entry, number, at })
        })
      ),
    list: ({ before, limit, since, userId }) =>
      storage.exclusive(
        Effect.sync(() =>
          [...entries.values()]
            .filter(
              (entry) =>
                (userId === undefined || entry.userId === userId) &&
                entry.at >= (since ?? -Infinity) &&
                entry.number < (before ?? Infinity)
            )
            .toSorted((a, b) => b.number - a.number)
            .slice(0, limit)
        )
      ),
    removeOld: ({ keptMs, limit }) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const end = now - Math.max(keptMs, AUDIT_KEPT_MS)
          const old = [...entries.values()].filter(({ at }) => at < end).slice(0, limit)
          for (const { number } of old) entries.delete(number)
          return old.length
        })
      )
  })
})

/** The audit log in the memory of one process. */
export const InMemoryAuditLog = { layer: Layer.effect(AuditLog, make).pipe(Layer.provide(InMemoryStorage.layer)) }
