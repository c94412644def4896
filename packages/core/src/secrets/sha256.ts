import { Effect } from "effect"

/** SHA-256 (FIPS 180-4), in hexadecimal. */
export const sha256 = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)),
    (hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )

const utf8 = new TextEncoder()

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
export const sha256OfText = (text: string): Effect.Effect<string> => sha256(utf8.encode(text))
