import { Effect } from "effect"

const utf8 = new TextEncoder()

/** A digest (SHA-256) of texts, in hexadecimal digits: other texts, or the same cut in another way, have another. */
export const hexDigest = (texts: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", utf8.encode(JSON.stringify(texts)))),
    (digest) => Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )
