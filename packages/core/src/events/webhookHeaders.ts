import { Clock, Effect } from "effect"
import {
  InvalidWebhook,
  WEBHOOK_ID,
  WEBHOOK_SIGNATURE,
  WEBHOOK_TIMESTAMP,
  isWebhookSecret,
  webhookSignatures
} from "./verifyWebhook.ts"

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

/** The headers of a webhook: signed with every secret, so that sender and receiver can change theirs one after the other. */
export const webhookHeaders = Effect.fnUntraced(function* (
  id: string,
  body: string,
  secrets: ReadonlyArray<string>
): Effect.fn.Return<Readonly<Record<string, string>>, InvalidWebhook> {
  if (!secrets.every(isWebhookSecret)) return yield* Effect.fail(new InvalidWebhook({ problem: "secret" }))
  const timestamp = String(Math.floor((yield* Clock.currentTimeMillis) / 1000))
  const signatures = yield* Effect.promise(() => webhookSignatures(id, timestamp, body, secrets))
  return {
    [WEBHOOK_ID]: id,
    [WEBHOOK_TIMESTAMP]: timestamp,
    [WEBHOOK_SIGNATURE]: signatures.map((signature) => `v1,${base64Of(signature)}`).join(" ")
  }
})
