import { Effect, Layer } from "effect"
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
        Effect.sync(() => {
          const parts = storage.personalParts
          if (parts.some(({ isInUse }) => isInUse?.(userId) === true)) return { _tag: "AccountInUse" as const }
          const counts = added(parts.map(({ count }) => count(userId)))
          for (const { erase } of parts) erase(userId, pseudonym)
          return { _tag: "Erased" as const, ...counts }
        })
      )
  })
)

/** The personal data of the in-memory stores, erased in one step. */
export const InMemoryPersonalData = {
  layer: Layer.effect(PersonalData, make).pipe(Layer.provide(InMemoryStorage.layer))
}
