import { Clock, Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { PersonalData, type StoredData } from "./PersonalData.ts"

const added = (parts: ReadonlyArray<Partial<StoredData>>): StoredData => ({
  chats: parts.reduce((sum, { chats = 0 }) => sum + chats, 0),
  documents: parts.reduce((sum, { documents = 0 }) => sum + documents, 0),
  transactions: parts.reduce((sum, { transactions = 0 }) => sum + transactions, 0)
})

const make = Effect.map(InMemoryStorage, (storage) =>
  PersonalData.of({
    // Nothing changes rows behind the stores of this process.
    begin: () => Effect.void,
    count: (userId) =>
      storage.exclusive(Effect.sync(() => added(storage.personalParts.map(({ count }) => count(userId))))),
    erase: ({ pseudonym, userId }) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const parts = storage.personalParts
          if (parts.some(({ isInUse }) => isInUse?.(userId) === true)) return { _tag: "AccountInUse" as const }
          const counts = parts.map(({ count }) => count(userId))
          const stored = added(counts)
          const all = counts.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0)
          for (const { erase } of parts) erase(userId, pseudonym, now)
          const others = all - stored.chats - stored.documents - stored.transactions
          return { _tag: "Erased" as const, ...stored, others }
        })
      )
  })
)

/** The personal data of the in-memory stores, erased in one step. */
export const InMemoryPersonalData = {
  layer: Layer.effect(PersonalData, make).pipe(Layer.provide(InMemoryStorage.layer))
}
