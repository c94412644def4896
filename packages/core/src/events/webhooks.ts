import { Clock, Effect, Redacted, Result, Schema } from "effect"
import { DeliveryFailed, type EventSink } from "./EventSink.ts"
import { hookSinks, type ParleyHooks } from "./hooks.ts"
import { EVENT_TYPES, type EventType, type ParleyEvent } from "./ParleyEvent.ts"
import { currentTraceparent } from "../telemetry/trace.ts"
import type { WebhookPoster } from "./WebhookPoster.ts"
import {
  InvalidWebhook,
  isWebhookSecret,
  WEBHOOK_ID,
  WEBHOOK_SIGNATURE,
  WEBHOOK_TIMESTAMP,
  webhookSignatures
} from "./verifyWebhook.ts"
import { webhookUrlProblem } from "./webhookAddress.ts"

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

/**
 * Makes the headers of a webhook, signed with every secret, so that sender and receiver can change their secrets one
 * after the other.
 */
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

/** An address to which events are sent. */
export interface WebhookEndpoint {
  /** `https://`, or `http://` on this machine. It may contain a token, so it is never logged or stored. */
  readonly url: string
  /** `whsec_` and base64 of 24 to 64 bytes; several while a secret is being changed: each of them signs. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** The types of events to send; all unless given. */
  readonly events?: ReadonlyArray<EventType> | undefined
}

/** The configured webhooks are invalid. Contains the reasons. */
export class InvalidWebhooks extends Schema.TaggedError<InvalidWebhooks>()("InvalidWebhooks", {
  problems: Schema.Array(Schema.String)
}) {
  readonly code = "invalid_webhooks"
  override get message() {
    return `The webhooks are not usable: ${this.problems.join("; ")}.`
  }
}

/** Lists the problems of an endpoint, without its address or secrets. */
export const webhookProblems = ({ events = EVENT_TYPES, secrets, url }: WebhookEndpoint): ReadonlyArray<string> => [
  ...[webhookUrlProblem(url)].flatMap((problem) => (problem === undefined ? [] : [`url: ${problem}`])),
  ...(secrets.length > 0 && secrets.every((secret) => isWebhookSecret(Redacted.value(secret)))
    ? []
    : ["secret: expected whsec_ and base64 of 24 to 64 random bytes"]),
  ...(events.length > 0 && events.every((type) => EVENT_TYPES.includes(type))
    ? []
    : [`events: expected some of ${EVENT_TYPES.join(", ")}`])
]

/** The time limit of a whole try. */
const WEBHOOK_TIME_LIMIT_MS = 20_000

/** Parses `retry-after` into milliseconds: seconds, or a date (RFC 9110, 10.2.3). */
const retryAfterMs = (header: string | undefined, now: number): number => {
  const text = header?.trim() ?? ""
  const wanted = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(wanted) ? Math.max(0, wanted) : 0
}

const post = Effect.fnUntraced(function* (poster: WebhookPoster, endpoint: WebhookEndpoint, event: ParleyEvent) {
  const body = JSON.stringify(event)
  const signed = yield* webhookHeaders(event.id, body, endpoint.secrets.map(Redacted.value))
  const traceparent = yield* currentTraceparent
  const headers = {
    ...signed,
    "content-type": "application/json",
    "user-agent": "Parley-Webhooks",
    ...(traceparent === undefined ? {} : { traceparent })
  }
  const { retryAfter, status } = yield* poster.post({ url: endpoint.url, headers, body })
  if (status >= 200 && status < 300) return
  const askedFor = retryAfterMs(retryAfter, yield* Clock.currentTimeMillis)
  return yield* new DeliveryFailed({ reason: `http_${status}`, retryAfterMs: askedFor, isGone: status === 410 })
})

/** Returns an id of an endpoint that does not reveal its address. */
const endpointId = Effect.fnUntraced(function* (address: string) {
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(address)))
  const hex = Array.from(new Uint8Array(digest).slice(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("")
  return `webhook:${new URL(address).host}#${hex}`
})

/** Returns the endpoints as destinations. Fails if one is invalid, or if two have the same address. */
export const webhookSinks = Effect.fnUntraced(function* (
  endpoints: ReadonlyArray<WebhookEndpoint>,
  poster: WebhookPoster
): Effect.fn.Return<ReadonlyArray<EventSink>, InvalidWebhooks> {
  const problems = endpoints.flatMap((endpoint, place) =>
    webhookProblems(endpoint).map((problem) => `webhooks[${place}].${problem}`)
  )
  const addresses = new Set(endpoints.map(({ url }) => url))
  if (addresses.size < endpoints.length) problems.push("webhooks: expected each address once")
  if (problems.length > 0) return yield* new InvalidWebhooks({ problems })
  return yield* Effect.forEach(endpoints, (endpoint) =>
    Effect.map(endpointId(endpoint.url), (id): EventSink => ({
      id,
      types: endpoint.events ?? EVENT_TYPES,
      timeLimitMs: WEBHOOK_TIME_LIMIT_MS,
      deliver: (event) =>
        Effect.catchTags(post(poster, endpoint, event), {
          InvalidWebhook: () => Effect.fail(new DeliveryFailed({ reason: "secret" })),
          WebhookUnanswered: ({ reason }) => Effect.fail(new DeliveryFailed({ reason }))
        })
    }))
  )
})

/** The sender of webhooks, and their endpoints. */
export interface WebhookOptions {
  /** `NodeWebhookPoster` of `@parley/adapters-http/node`, or one of your own. */
  readonly poster: WebhookPoster
  readonly endpoints: ReadonlyArray<{
    /** `https://`, or `http://` on this machine. */
    readonly url: string
    /** `whsec_` and base64 of 24 to 64 random bytes; several while a secret is being changed. */
    readonly secret: string | ReadonlyArray<string>
    /** The types of events to send; all unless given. */
    readonly events?: ReadonlyArray<EventType>
  }>
}

interface EventOptions {
  readonly hooks?: ParleyHooks
  readonly webhooks?: WebhookOptions
}

/** Returns the configured destinations of events. Rejects with `InvalidWebhooks`. */
export const eventSinks = async ({ hooks = {}, webhooks }: EventOptions): Promise<ReadonlyArray<EventSink>> => {
  if (webhooks === undefined) return hookSinks(hooks)
  const endpoints = webhooks.endpoints.map(({ events, secret, url }) => {
    const secrets = (typeof secret === "string" ? [secret] : secret).map((each) => Redacted.make(each))
    return { url, events, secrets }
  })
  const made = await Effect.runPromise(Effect.result(webhookSinks(endpoints, webhooks.poster)))
  if (Result.isFailure(made)) throw made.failure
  return [...hookSinks(hooks), ...made.success]
}
