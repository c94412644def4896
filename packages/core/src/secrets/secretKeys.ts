import { Redacted, Result } from "effect"
import { fromBase64Url } from "./base64Url.ts"
import { InvalidSecretKeys } from "./errors.ts"

/** A key for secrets. Without an id, it gets an id that is derived from the key. */
export interface SecretKey {
  readonly id: string | undefined
  /** 32 bytes. */
  readonly bytes: Redacted.Redacted<Uint8Array<ArrayBuffer>>
}

const KEY_BYTES = 32
const ID = /^[A-Za-z0-9_-]{1,32}$/
const HEX = /^[0-9a-f]{64}$/i
/**
 * The minimum number of different bytes in a key: 32 random bytes have about thirty different values, so a key with
 * fewer was probably typed.
 */
const LEAST_DIFFERENT = 12

const hexBytes = (text: string) =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) as Uint8Array<ArrayBuffer>

const keyBytes = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (HEX.test(text)) return hexBytes(text)
  const standard = text
    .replace(/={1,2}$/, "")
    .replaceAll("+", "-")
    .replaceAll("/", "_")
  const bytes = Result.getOrUndefined(fromBase64Url(standard))
  return bytes?.byteLength === KEY_BYTES ? bytes : undefined
}

const keyOf = (part: string): Result.Result<SecretKey, string> => {
  const colon = part.indexOf(":")
  const id = colon < 0 ? undefined : part.slice(0, colon).trim()
  if (id !== undefined && !ID.test(id)) {
    return Result.fail("expected an id of 1 to 32 letters, digits, - and _ before the colon")
  }
  const bytes = keyBytes(part.slice(colon + 1).trim())
  if (bytes === undefined) return Result.fail(`expected ${KEY_BYTES} bytes as base64 or as 64 hexadecimal digits`)
  if (new Set(bytes).size < LEAST_DIFFERENT) return Result.fail("expected random bytes, and found a pattern")
  return Result.succeed({ id, bytes: Redacted.make(bytes) })
}

/**
 * Parses keys: `<key>` or `<id>:<key>`, several of them separated by commas. The first key seals; the others open older
 * secrets. A key is 32 random bytes, in base64 (with either alphabet) or as hexadecimal digits. Problems contain the
 * position of a key and never its value.
 */
export const parseSecretKeys = (text: string): Result.Result<ReadonlyArray<SecretKey>, InvalidSecretKeys> => {
  const parts = text.split(",").map((part) => part.trim())
  const keys: Array<SecretKey> = []
  const problems: Array<string> = []
  for (const [index, part] of parts.entries()) {
    const key = keyOf(part)
    if (Result.isSuccess(key)) keys.push(key.success)
    else problems.push(parts.length === 1 ? key.failure : `key ${index + 1}: ${key.failure}`)
  }
  const ids = keys.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const nameless = keys.filter(({ id }) => id === undefined).map(({ bytes }) => Redacted.value(bytes).join())
  if (new Set(ids).size < ids.length) problems.push("expected a different id for each key")
  if (new Set(nameless).size < nameless.length) problems.push("expected each key once")
  return problems.length > 0 ? Result.fail(new InvalidSecretKeys({ problems })) : Result.succeed(keys)
}
