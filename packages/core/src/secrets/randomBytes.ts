import { Effect } from "effect"
import { IdGenerator } from "../storage/IdGenerator.ts"

/** A digest of SHA-256 has so many bytes. */
const MAX_BYTES = 32

/**
 * So many bytes that nobody can guess, 32 at most. They are the beginning of a digest of three random identifiers, which
 * have 366 bits of chance together.
 */
export const randomBytes = Effect.fnUntraced(function* (count: number) {
  if (count > MAX_BYTES) return yield* Effect.die(new RangeError(`At most ${MAX_BYTES} bytes, not ${count}.`))
  const ids = yield* IdGenerator
  const chance = new TextEncoder().encode(`${yield* ids.next} ${yield* ids.next} ${yield* ids.next}`)
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", chance))
  return new Uint8Array(digest).slice(0, count)
})
