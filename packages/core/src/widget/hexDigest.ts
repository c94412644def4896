import type { Effect } from "effect"
import { sha256OfText } from "../secrets/sha256.ts"

/**
 * Returns the SHA-256 of a list of texts, in hexadecimal. Different lists have different digests, even if their texts
 * are equal when joined.
 */
export const hexDigest = (texts: ReadonlyArray<string>): Effect.Effect<string> => sha256OfText(JSON.stringify(texts))
