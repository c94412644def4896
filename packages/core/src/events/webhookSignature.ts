import { Clock, Effect, Schema } from "effect"
import type { ParleyEvent } from "./ParleyEvent.ts"

/** How secrets begin; base64 of 24 to 64 random bytes follows. */
const PREFIX = "whsec_"
const SECRET_BYTES = { least: 24, most: 64 }
/** How far the clocks of both sides may be apart. */
const TOLERANCE_SECONDS = 5 * 60

export const WEBHOOK_ID = "webhook-id"
export const WEBHOOK_TIMESTAMP = "webhook-timestamp"
export const WEBHOOK_SIGNATURE = "webhook-signature"

/** What was received is no webhook of who has the secret, or too old; `problem` says which. */
export class InvalidWebhook extends Schema.TaggedError<InvalidWebhook>()("InvalidWebhook", {
  problem: Schema.Literals(["secret", "headers", "body", "timestamp", "signature", "content"])
}) {
  readonly code = "invalid_webhook"
  override get message() {
    return {
      secret: "A webhook's secret is whsec_ and base64 of 24 to 64 bytes.",
      headers: "The headers webhook-id, webhook-timestamp and webhook-signature are missing.",
      body: "The webhook's body is neither a text nor bytes. Give what was received, before anything parses it.",
      timestamp: "The webhook was sent more than five minutes ago, or ahead of time; do the clocks agree?",
      signature: "The webhook's signature is not of this secret and these bytes. Verify the body as it was received.",
      content: "The webhook's body is not JSON."
    }[this.problem]
  }
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The key of a secret; undefined where it is none. */
const keyBytes = (secret: string): Uint8Array<ArrayBuffer> | undefined => {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : undefined
  const { least, most } = SECRET_BYTES
  return bytes !== undefined && bytes.length >= least && bytes.length <= most ? bytes : undefined
}

/** Whether a text is a secret that webhooks can be signed with: `whsec_` and base64 of 24 to 64 bytes. */
export const isWebhookSecret = (secret: string): boolean => keyBytes(secret) !== undefined

const HMAC = { name: "HMAC", hash: "SHA-256" }

const keyOf = (secret: string): Effect.Effect<CryptoKey, InvalidWebhook> => {
  const bytes = keyBytes(secret)
  return bytes === undefined
    ? Effect.fail(new InvalidWebhook({ problem: "secret" }))
    : Effect.promise(() => crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"]))
}

const utf8 = new TextEncoder()

/** What is signed: the id, the time and the bytes of the body, with dots between them. */
const signedBytes = (id: string, timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = utf8.encode(`${id}.${timestamp}.`)
  const content = typeof body === "string" ? utf8.encode(body) : body
  const all = new Uint8Array(head.length + content.length)
  all.set(head)
  all.set(content, head.length)
  return all
}

const base64Of = (bytes: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""))

/** What is sent with a webhook: signed with every secret, so that either side can change its own first. */
export const webhookHeaders = Effect.fnUntraced(function* (
  id: string,
  body: string,
  secrets: ReadonlyArray<string>
): Effect.fn.Return<Readonly<Record<string, string>>, InvalidWebhook> {
  const timestamp = String(Math.floor((yield* Clock.currentTimeMillis) / 1000))
  const content = signedBytes(id, timestamp, body)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Effect.flatMap(keyOf(secret), (key) => Effect.promise(() => crypto.subtle.sign("HMAC", key, content)))
  )
  return {
    [WEBHOOK_ID]: id,
    [WEBHOOK_TIMESTAMP]: timestamp,
    [WEBHOOK_SIGNATURE]: signatures.map((signature) => `v1,${base64Of(signature)}`).join(" ")
  }
})

/** Headers as fetch has them, or as Node's requests do. */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const headerOf = (headers: ReceivedHeaders, name: string): string => {
  if (typeof headers["get"] === "function") return headers["get"](name) ?? ""
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1] as unknown
  return typeof value === "string" ? value : Array.isArray(value) ? String(value[0] ?? "") : ""
}

/** Compares in a time that tells nothing of where two signatures differ. */
const sameBytes = (right: Uint8Array, given: Uint8Array): boolean =>
  right.length === given.length &&
  right.reduce((differs, byte, place) => differs | (byte ^ (given[place] ?? 0)), 0) === 0

const verified = Effect.fnUntraced(function* (
  headers: ReceivedHeaders,
  body: string | Uint8Array,
  secrets: ReadonlyArray<string>
) {
  const [id, timestamp, signature] = [WEBHOOK_ID, WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE].map((name) =>
    headerOf(headers, name)
  ) as [string, string, string]
  if (id === "" || signature === "" || !/^\d{1,12}$/.test(timestamp)) {
    return yield* new InvalidWebhook({ problem: "headers" })
  }
  // What a framework has parsed already is no bytes, and may say of itself that it is long.
  if (typeof body !== "string" && !(ArrayBuffer.isView(body) && "BYTES_PER_ELEMENT" in body)) {
    return yield* new InvalidWebhook({ problem: "body" })
  }
  const keys = yield* Effect.forEach(secrets, keyOf)
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  if (Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) return yield* new InvalidWebhook({ problem: "timestamp" })
  const content = signedBytes(id, timestamp, body)
  // The body is hashed once for each secret, however many signatures somebody without one sends.
  const expected = yield* Effect.forEach(keys, (key) => Effect.promise(() => crypto.subtle.sign("HMAC", key, content)))
  const given = signature.split(" ").flatMap((one) => (one.startsWith("v1,") ? (bytesOf(one.slice(3)) ?? []) : []))
  const isRight = expected.some((right) => given.some((one) => sameBytes(new Uint8Array(right), one)))
  if (!isRight) return yield* new InvalidWebhook({ problem: "signature" })
  const text = typeof body === "string" ? body : new TextDecoder().decode(body)
  return yield* Effect.try({
    try: () => JSON.parse(text) as ParleyEvent,
    catch: () => new InvalidWebhook({ problem: "content" })
  })
})

/**
 * Proves that a webhook was sent by who has the secret, within the last five minutes, and gives its event. `body` is what was
 * received, byte for byte, before anything parsed it; while secrets are changed, several may be right. Rejects with
 * `InvalidWebhook`. A webhook may come more than once: the `id` of its event tells.
 */
export const verifyWebhook = (
  headers: ReceivedHeaders,
  body: string | Uint8Array,
  secret: string | ReadonlyArray<string>
): Promise<ParleyEvent> =>
  Effect.runPromise(Effect.result(verified(headers, body, typeof secret === "string" ? [secret] : secret))).then(
    (result) => {
      if (result._tag === "Failure") throw result.failure
      return result.success
    }
  )
