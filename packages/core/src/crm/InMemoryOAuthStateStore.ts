import { Clock, Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { OAuthStateStore, type SpentState } from "./OAuthStateStore.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const spent = yield* storage.table<string, SpentState>()
  yield* storage.addPersonalPart({
    count: () => ({}),
    erase: (userId) => {
      for (const [key, { owner }] of spent) if (owner === userId) spent.delete(key)
    }
  })
  return OAuthStateStore.of({
    spend: (state) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          for (const [old, { expiresAt }] of spent) if (expiresAt <= now) spent.delete(old)
          const key = JSON.stringify([state.owner, state.digest])
          if (spent.has(key)) return false
          spent.set(key, state)
          return true
        })
      )
  })
})

/** Used states in the memory of one process. */
export const InMemoryOAuthStateStore = {
  layer: Layer.effect(OAuthStateStore, make).pipe(Layer.provide(InMemoryStorage.layer))
}
