import { Effect } from "effect"
import { RANDOM_KEY, randomKey } from "../storage/randomKey.ts"

const PATTERN = new RegExp(`^pk_${RANDOM_KEY}$`)

/** True if a text has the form of a public key. */
export const isPublicKey = (text: string): boolean => PATTERN.test(text)

/** Generates a public key: `pk_` and 160 random bits. */
export const newPublicKey: Effect.Effect<string> = Effect.map(randomKey, (key) => `pk_${key}`)
