import type { Effect } from "effect"
import { sha256OfText } from "../secrets/sha256.ts"

/** The SHA-256 of a list of texts, in hexadecimal. Lists that join to the same text have different digests. */
export const hexDigest = (texts: ReadonlyArray<string>): Effect.Effect<string> => sha256OfText(JSON.stringify(texts))
