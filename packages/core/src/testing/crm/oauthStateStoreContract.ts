import { Clock, Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { OAuthStateStore } from "../../crm/OAuthStateStore.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"

const TEN_MINUTES_MS = 600_000
const newDigest = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Tests the guarantees of an `OAuthStateStore`. `layer` is built once, for all tests. */
export const oauthStateStoreContract = (name: string, layer: Layer.Layer<OAuthStateStore, unknown>): void =>
  suiteOn(`OAuthStateStore: ${name}`, layer, (run) => {
    it("a state is used once, however many try at once, and never again", () =>
      run(
        Effect.gen(function* () {
          const states = yield* OAuthStateStore
          const expiresAt = (yield* Clock.currentTimeMillis) + TEN_MINUTES_MS
          const state = { owner: newUserId(), digest: newDigest(), expiresAt }
          const tries = yield* Effect.all(
            Array.from({ length: 12 }, () => states.spend(state)),
            { concurrency: "unbounded" }
          )
          expect(tries.filter((first) => first)).toHaveLength(1)
          expect(yield* states.spend({ ...state, expiresAt: expiresAt + 1 })).toBe(false)
          expect(yield* states.spend({ ...state, digest: newDigest() })).toBe(true)
        })
      ))
  })
