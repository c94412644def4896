import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { NO_PREFERENCES, type Preferences, PreferenceStore } from "./Preferences.ts"

/** Preferences in the memory of one process. */
export const InMemoryPreferenceStore = {
  layer: Layer.effect(
    PreferenceStore,
    Effect.gen(function* () {
      const storage = yield* InMemoryStorage
      const stored = yield* storage.table<string, Preferences>()
      yield* storage.addPersonalPart({ count: () => ({}), erase: (userId) => void stored.delete(userId) })
      return PreferenceStore.of({
        get: (userId) => storage.exclusive(Effect.sync(() => stored.get(userId) ?? NO_PREFERENCES)),
        set: (userId, preferences) => storage.exclusive(Effect.sync(() => void stored.set(userId, preferences)))
      })
    })
  ).pipe(Layer.provide(InMemoryStorage.layer))
}
