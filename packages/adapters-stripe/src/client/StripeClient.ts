import {
  type PaymentFailed,
  type PaymentObject,
  type PaymentObjectNotFound,
  PaymentObjectUnreadable,
  PaymentsNotConfigured,
  PaymentUnavailable
} from "@parley/core/adapter"
import { Effect, Random, Redacted } from "effect"
import type Stripe from "stripe"
import { withSignal } from "./abortScope.ts"
import { loadStripe } from "./loadStripe.ts"
import { defaultStripeLimits, STRIPE_API_VERSION, type StripeClientOptions, type StripeLimits } from "./stripeLimits.ts"
import { type StripeCall, type StripeFailure, stripeFailure, unreadable } from "./stripeFailure.ts"
import { stripeFetch } from "./stripeFetch.ts"
import { UnknownShape } from "../shapes/ShapeReader.ts"

/** One request of the SDK. Requests that create something take the key. */
type Ask<A> = (stripe: Stripe, options: Stripe.RequestOptions) => Promise<A>

const STRIPE_URL = "https://api.stripe.com"

/** The SDK's part: signing in, forms, errors. It is loaded with the first call, so that no start waits for it. */
const connect = async (options: StripeClientOptions, apiKey: string, requestMs: number): Promise<Stripe> => {
  const { Stripe: Client } = await loadStripe()
  const url = new URL(options.apiUrl ?? STRIPE_URL)
  return new Client(apiKey, {
    apiVersion: STRIPE_API_VERSION,
    host: url.hostname,
    port: url.port === "" ? (url.protocol === "http:" ? 80 : 443) : url.port,
    protocol: url.protocol === "http:" ? "http" : "https",
    httpClient: Client.createFetchHttpClient(stripeFetch(options.fetch ?? fetch, url.pathname.replace(/\/+$/, ""))),
    maxNetworkRetries: 0,
    timeout: requestMs,
    telemetry: false
  })
}

/** Asks Stripe within limits, again where that may help, and names what fails. */
export class StripeClient {
  readonly #options: StripeClientOptions
  readonly #limits: StripeLimits
  #stripe: Promise<Stripe> | undefined

  constructor(options: StripeClientOptions) {
    this.#options = options
    this.#limits = { ...defaultStripeLimits, ...options.limits }
  }

  /** Asks something about one object alone, or about none. */
  ask<A>(
    call: StripeCall,
    ask: Ask<A>,
    idempotencyKey?: string
  ): Effect.Effect<A, PaymentFailed | PaymentObjectNotFound> {
    const { apiKey } = this.#options
    if (apiKey === undefined) return Effect.fail(new PaymentsNotConfigured({ missing: "key" }))
    const { totalMs } = this.#limits
    return this.#try(call, ask, Redacted.value(apiKey), idempotencyKey, 0).pipe(
      Effect.timeoutOrElse({
        duration: totalMs,
        orElse: () => Effect.fail(this.#tooLong(call, totalMs))
      })
    )
  }

  /** The same for what needs no object, and so misses none. */
  askAnything<A>(operation: string, ask: Ask<A>, idempotencyKey?: string): Effect.Effect<A, PaymentFailed> {
    return Effect.catchTag(this.ask({ operation, needs: {} }, ask, idempotencyKey), "PaymentObjectNotFound", Effect.die)
  }

  /** Reads an answer that has come; one in a form that is not known is a refusal that says where. */
  read<A>(operation: string, read: () => A): Effect.Effect<A, PaymentFailed> {
    return Effect.try({ try: read, catch: (cause) => unreadable(operation, cause) })
  }

  /** Reads an object that was looked up. */
  readObject<A>(object: PaymentObject, id: string, read: () => A): Effect.Effect<A, PaymentObjectUnreadable> {
    return Effect.try({
      try: read,
      catch: (cause) => {
        if (!(cause instanceof UnknownShape)) throw cause
        return new PaymentObjectUnreadable({ object, id, problem: cause.message })
      }
    })
  }

  #try<A>(
    call: StripeCall,
    ask: Ask<A>,
    apiKey: string,
    key: string | undefined,
    retries: number
  ): Effect.Effect<A, PaymentFailed | PaymentObjectNotFound> {
    return this.#once(call, ask, apiKey, key).pipe(
      Effect.catch((failure) =>
        Effect.gen({ self: this }, function* () {
          const delay = this.#delay(failure, retries, yield* Random.next)
          if (delay === undefined) return yield* failure.error
          yield* Effect.sleep(delay)
          // An outage that Stripe remembers for a key is its answer to that key for a day.
          const next = key !== undefined && failure.isReplayed ? `${key}:again` : key
          return yield* this.#try(call, ask, apiKey, next, retries + 1)
        })
      )
    )
  }

  #once<A>(call: StripeCall, ask: Ask<A>, apiKey: string, key: string | undefined): Effect.Effect<A, StripeFailure> {
    return Effect.tryPromise({
      try: async (signal) => {
        const stripe = await (this.#stripe ??= connect(this.#options, apiKey, this.#limits.requestMs))
        return withSignal(signal, () => ask(stripe, key === undefined ? {} : { idempotencyKey: key }))
      },
      catch: (cause) => stripeFailure(call, cause)
    })
  }

  #delay({ isRetryable, retryAfterMs = 0 }: StripeFailure, retries: number, random: number): number | undefined {
    const { baseDelayMs, maxDelayMs, retries: most } = this.#limits
    if (!isRetryable || retries >= most || retryAfterMs > maxDelayMs) return undefined
    return Math.max(retryAfterMs, Math.min(maxDelayMs, baseDelayMs * 2 ** retries) * (1 - random / 2))
  }

  #tooLong({ operation }: StripeCall, totalMs: number): PaymentUnavailable {
    return new PaymentUnavailable({ operation, cause: new Error(`No answer within ${totalMs} ms.`) })
  }
}
