import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { NO_PREFERENCES, PreferenceStore } from "../../preferences/Preferences.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"

/** Tests the guarantees of a `PreferenceStore`. `layer` is built once, for all tests. */
export const preferenceStoreContract = (name: string, layer: Layer.Layer<PreferenceStore, unknown>): void =>
  suiteOn(`PreferenceStore: ${name}`, layer, (run) => {
    it("a person has the preferences stored last, and no other person has them", () =>
      run(
        Effect.gen(function* () {
          const store = yield* PreferenceStore
          const [one, other] = [newUserId(), newUserId()]
          expect(yield* store.get(one)).toEqual(NO_PREFERENCES)
          const first = { instructions: "Answer in 'Bavarian' \u{1F4C8}.\n", modelId: "model-a" }
          yield* store.set(one, first)
          expect(yield* store.get(one)).toEqual(first)
          expect(yield* store.get(other)).toEqual(NO_PREFERENCES)
          const second = { instructions: "", modelId: null }
          yield* store.set(one, second)
          expect(yield* store.get(one)).toEqual(second)
        })
      ))
  })
