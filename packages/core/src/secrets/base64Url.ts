import { Result } from "effect"

/** Bytes as base64url without padding (RFC 4648, 5). */
export const toBase64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

const TEXT = /^[A-Za-z0-9_-]*$/

/**
 * Returns the bytes of a base64url text; fails for any other text, even if only unused bits of the last character are
 * set: each value has exactly one text.
 */
export const fromBase64Url = (text: string): Result.Result<Uint8Array<ArrayBuffer>, "not base64url"> => {
  if (!TEXT.test(text) || text.length % 4 === 1) return Result.fail("not base64url")
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return toBase64Url(bytes) === text ? Result.succeed(bytes) : Result.fail("not base64url")
}
