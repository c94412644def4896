import { Effect } from "effect"
import { IdGenerator } from "./storedForms.ts"

/**
 * Digits and lower-case letters without those that can be mistaken for others (Crockford's base 32): five bits each.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
const CHARACTERS = 32

/** The pattern of a random key, for regular expressions. */
export const RANDOM_KEY = "[0-9a-hjkmnp-tv-z]{32}"

/**
 * Generates 32 characters with 160 random bits: a digest of two random identifiers that together have 244 random bits.
 */
export const randomKey: Effect.Effect<string> = Effect.gen(function* () {
  const ids = yield* IdGenerator
  const chance = new TextEncoder().encode(`${yield* ids.next} ${yield* ids.next}`)
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", chance))
  return Array.from(new Uint8Array(digest).subarray(0, CHARACTERS), (byte) => ALPHABET.charAt(byte % 32)).join("")
})
