import { Effect, Layer, Redacted, Result } from "effect"
import { fromBase64Url, toBase64Url } from "./base64Url.ts"
import { InvalidSecretKeys, SecretUnreadable } from "./errors.ts"
import { randomBytes } from "./randomBytes.ts"
import { SecretBox, type SecretContext } from "./SecretBox.ts"
import type { SecretKey } from "./secretKeys.ts"

/** The prefix of sealed texts: the version of their format. */
const FORM = "v1"
const IV_BYTES = 12
const ID_BYTES = 6

const encoded = (text: string) => new TextEncoder().encode(text)

interface NamedKey {
  readonly id: string
  /** The key from which keys for single purposes are derived. */
  readonly base: CryptoKey
}

const named = async ({ bytes, id }: SecretKey): Promise<NamedKey> => {
  const raw = Redacted.value(bytes)
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", raw))
  const base = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"])
  return { base, id: id ?? toBase64Url(digest.slice(0, ID_BYTES)) }
}

/** Derives a key for one purpose by HKDF (RFC 5869), so that purposes do not share nonces. */
const derived = ({ base }: NamedKey, purpose: string): Promise<CryptoKey> =>
  crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoded(`parley ${FORM} ${purpose}`) },
    base,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"]
  )

/**
 * Returns the additional authenticated data: the format, the key's id, and every part of the context, encoded without
 * ambiguity.
 */
const provenBeside = (keyId: string, context: SecretContext) => encoded(JSON.stringify([FORM, keyId, ...context]))

const make = (keys: ReadonlyArray<NamedKey>): SecretBox["Service"] => {
  const cached = new Map<string, Promise<CryptoKey>>()
  const keyFor = (key: NamedKey, purpose: string) => {
    const name = `${key.id} ${purpose}`
    const known = cached.get(name) ?? derived(key, purpose)
    cached.set(name, known)
    return known
  }
  const unreadable = (problem: "key" | "content") => new SecretUnreadable({ problem })
  const [first] = keys as readonly [NamedKey, ...ReadonlyArray<NamedKey>]

  return SecretBox.of({
    sealsWith: first.id,
    seal: Effect.fnUntraced(function* (context, secret) {
      const iv = yield* randomBytes(IV_BYTES)
      const sealed = yield* Effect.promise(async () =>
        crypto.subtle.encrypt(
          { name: "AES-GCM", iv, additionalData: provenBeside(first.id, context) },
          await keyFor(first, context[0]),
          encoded(Redacted.value(secret))
        )
      )
      const bytes = new Uint8Array([...iv, ...new Uint8Array(sealed)])
      return { keyId: first.id, text: `${FORM}.${first.id}.${toBase64Url(bytes)}` }
    }),
    open: Effect.fnUntraced(function* (context, text) {
      const [form, keyId = "", content = "", ...more] = text.split(".")
      if (form !== FORM || more.length > 0) return yield* unreadable("content")
      const key = keys.find(({ id }) => id === keyId)
      if (key === undefined) return yield* unreadable("key")
      const bytes = Result.getOrUndefined(fromBase64Url(content))
      if (bytes === undefined || bytes.byteLength <= IV_BYTES) return yield* unreadable("content")
      const opened = yield* Effect.tryPromise({
        try: async () =>
          crypto.subtle.decrypt(
            { name: "AES-GCM", iv: bytes.slice(0, IV_BYTES), additionalData: provenBeside(keyId, context) },
            await keyFor(key, context[0]),
            bytes.slice(IV_BYTES)
          ),
        catch: () => unreadable("content")
      })
      return Redacted.make(new TextDecoder().decode(opened))
    })
  })
}

/**
 * Seals secrets with AES-256-GCM (NIST SP 800-38D) by the platform's Web Crypto. The sealed text is `v1.<key id>.`,
 * followed by base64url of a random nonce of 96 bits, the ciphertext and its tag of 128 bits. Requires at least one
 * key; fails if two keys have the same id.
 */
export const makeWebCryptoSecretBox = (
  keys: ReadonlyArray<SecretKey>
): Effect.Effect<SecretBox["Service"], InvalidSecretKeys> =>
  Effect.gen(function* () {
    const all = yield* Effect.promise(() => Promise.all(keys.map(named)))
    if (all.length === 0) return yield* new InvalidSecretKeys({ problems: ["expected one key at least"] })
    if (new Set(all.map(({ id }) => id)).size < all.length) {
      return yield* new InvalidSecretKeys({ problems: ["expected each key once, with a different id for each"] })
    }
    return make(all)
  })

/** Provides `makeWebCryptoSecretBox` as a layer. */
export const WebCryptoSecretBoxLayer = (keys: ReadonlyArray<SecretKey>): Layer.Layer<SecretBox, InvalidSecretKeys> =>
  Layer.effect(SecretBox, makeWebCryptoSecretBox(keys))
