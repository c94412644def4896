import type { Effect } from "effect"
import { sha256 } from "../secrets/sha256.ts"

const utf8 = new TextEncoder()

/** The SHA-256 of a list of texts, in hexadecimal. Lists that join to the same text have different digests. */
export const hexDigest = (texts: ReadonlyArray<string>): Effect.Effect<string> =>
  sha256(utf8.encode(JSON.stringify(texts)))
