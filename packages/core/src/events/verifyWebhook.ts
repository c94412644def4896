import { sameBytes } from "../secrets/sameBytes.ts"
import type { ParleyEvent } from "./ParleyEvent.ts"

/** The prefix of a secret; base64 of 24 to 64 random bytes follows (Standard Webhooks 1.0). */
const PREFIX = "whsec_"
const SECRET_BYTES = { least: 24, most: 64 }
/** The maximum difference between the clocks of sender and receiver, in seconds. */
const TOLERANCE_SECONDS = 5 * 60

export const WEBHOOK_ID = "webhook-id"
export const WEBHOOK_TIMESTAMP = "webhook-timestamp"
export const WEBHOOK_SIGNATURE = "webhook-signature"

const MESSAGES = {
  secret: "A webhook's secret is whsec_ and base64 of 24 to 64 bytes.",
  headers: "The headers webhook-id, webhook-timestamp and webhook-signature are missing.",
  body: "The webhook's body is neither a text nor bytes. Pass the received body before anything parses it.",
  timestamp: "The webhook was sent more than five minutes ago, or its time lies ahead: compare both clocks.",
  signature: "The webhook's signature does not match this secret and these bytes. Pass the body as it was received.",
  content: "The webhook's body is not JSON."
}

/** The request is not a valid webhook for this secret, or is too old; `problem` names the reason. */
export class InvalidWebhook extends Error {
  readonly _tag = "InvalidWebhook"
  readonly code = "invalid_webhook"
  override readonly name = "InvalidWebhook"
  readonly problem: keyof typeof MESSAGES

  constructor({ problem }: { readonly problem: keyof typeof MESSAGES }) {
    super(MESSAGES[problem])
    this.problem = problem
  }
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Returns the bytes of a secret; undefined if the text is not a secret. */
const keyBytes = (secret: string): Uint8Array<ArrayBuffer> | undefined => {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : undefined
  const { least, most } = SECRET_BYTES
  return bytes !== undefined && bytes.length >= least && bytes.length <= most ? bytes : undefined
}

/** Returns true if a text is a secret for webhooks: `whsec_` and base64 of 24 to 64 bytes. */
export const isWebhookSecret = (secret: string): boolean => keyBytes(secret) !== undefined

const HMAC = { name: "HMAC", hash: "SHA-256" }

const keyOf = async (secret: string): Promise<CryptoKey> => {
  const bytes = keyBytes(secret)
  if (bytes === undefined) throw new InvalidWebhook({ problem: "secret" })
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"])
}

const utf8 = new TextEncoder()

/** Returns the signed content: the id, the time and the bytes of the body, separated by dots. */
const signedBytes = (id: string, timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = utf8.encode(`${id}.${timestamp}.`)
  const content = typeof body === "string" ? utf8.encode(body) : body
  const all = new Uint8Array(head.length + content.length)
  all.set(head)
  all.set(content, head.length)
  return all
}

/**
 * Returns the HMACs of a webhook in base64, one for each secret, in their order. Rejects with `InvalidWebhook` for a
 * text that is not a secret.
 */
export const webhookSignatures = async (
  id: string,
  timestamp: string,
  body: string | Uint8Array,
  secrets: ReadonlyArray<string>
): Promise<ReadonlyArray<Uint8Array>> => {
  const content = signedBytes(id, timestamp, body)
  const keys = await Promise.all(secrets.map(keyOf))
  return Promise.all(keys.map(async (key) => new Uint8Array(await crypto.subtle.sign("HMAC", key, content))))
}

/** Headers as in `fetch`, or as in Node's requests. */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const headerOf = (headers: ReceivedHeaders, name: string): string => {
  if (typeof headers["get"] === "function") return headers["get"](name) ?? ""
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1] as unknown
  return typeof value === "string" ? value : Array.isArray(value) ? String(value[0] ?? "") : ""
}

/**
 * Verifies that the owner of the secret sent a webhook within the last five minutes, and returns its event. `body` is
 * the received text or bytes, before they are parsed. While you change the secret, pass both secrets. Rejects with
 * `InvalidWebhook`. A webhook may arrive more than once: compare the `id` of its event with the ids that you have
 * handled. The format is Standard Webhooks 1.0.
 */
export const verifyWebhook = async (
  headers: ReceivedHeaders,
  body: string | Uint8Array,
  secret: string | ReadonlyArray<string>
): Promise<ParleyEvent> => {
  const [id, timestamp, signature] = [WEBHOOK_ID, WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE].map((name) =>
    headerOf(headers, name)
  ) as [string, string, string]
  if (id === "" || signature === "" || !/^\d{1,12}$/.test(timestamp)) throw new InvalidWebhook({ problem: "headers" })
  // A body that a framework has parsed does not consist of bytes, even if it has a length.
  if (typeof body !== "string" && !(ArrayBuffer.isView(body) && "BYTES_PER_ELEMENT" in body)) {
    throw new InvalidWebhook({ problem: "body" })
  }
  const secrets = typeof secret === "string" ? [secret] : secret
  if (!secrets.every(isWebhookSecret)) throw new InvalidWebhook({ problem: "secret" })
  // Receivers run this function without Effect, so it reads the clock of the process.
  const now = new Date().getTime() / 1000
  if (Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) throw new InvalidWebhook({ problem: "timestamp" })
  // The body is hashed once for each secret, so that many signatures in one request do not cost more work.
  const expected = await webhookSignatures(id, timestamp, body, secrets)
  const given = signature.split(" ").flatMap((one) => (one.startsWith("v1,") ? (bytesOf(one.slice(3)) ?? []) : []))
  const isRight = expected.some((right) => given.some((one) => sameBytes(right, one)))
  if (!isRight) throw new InvalidWebhook({ problem: "signature" })
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as ParleyEvent
  } catch {
    throw new InvalidWebhook({ problem: "content" })
  }
}
