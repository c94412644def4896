import { Effect } from "effect"
import { IdGenerator } from "../storage/storedForms.ts"

/** The number of bytes in a SHA-256 digest, which is the maximum here. */
const MAX_BYTES = 32

/**
 * Returns `count` unpredictable bytes, at most 32: the beginning of a digest of three random identifiers that together
 * have 366 random bits.
 */
export const randomBytes = Effect.fnUntraced(function* (count: number) {
  if (count > MAX_BYTES) return yield* Effect.die(new RangeError(`At most ${MAX_BYTES} bytes, not ${count}.`))
  const ids = yield* IdGenerator
  const chance = new TextEncoder().encode(`${yield* ids.next} ${yield* ids.next} ${yield* ids.next}`)
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", chance))
  return new Uint8Array(digest).slice(0, count)
})
