import {
  type PaymentFailed,
  type PaymentObject,
  type PaymentObjectNotFound,
  PaymentObjectUnreadable,
  PaymentsNotConfigured,
  PaymentUnavailable,
  type SilenceWatch
} from "@parley/core/adapter"
import { Clock, Effect, Random, Redacted } from "effect"
import type Stripe from "stripe"
import { withSignal } from "./abortScope.ts"
import { loadStripe } from "./loadStripe.ts"
import { defaultStripeLimits, STRIPE_API_VERSION, type StripeClientOptions, type StripeLimits } from "./stripeLimits.ts"
import { type StripeCall, type StripeFailure, stripeFailure, unreadable } from "./stripeFailure.ts"
import { stripeFetch } from "./stripeFetch.ts"
import { watched, watchStripe } from "./stripeSilence.ts"
import { UnknownShape } from "../shapes/ShapeReader.ts"

/** Sends one request with the SDK. A request that creates an object gets the idempotency key in `options`. */
type Ask<A> = (stripe: Stripe, options: Stripe.RequestOptions) => Promise<A>

/** The values that all tries of a call have in common. */
interface AskedBy {
  readonly apiKey: string
  readonly watch: SilenceWatch
  readonly idempotencyKey: string | undefined
}

const STRIPE_URL = "https://api.stripe.com"

/**
 * Makes a client of the SDK, which does authentication, form encoding and errors. The SDK is loaded at the first call,
 * so that it does not delay the start.
 */
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

/**
 * Calls Stripe within time limits, retries if a retry may help, and fails with named errors. While Stripe is silent,
 * calls fail at once.
 */
export class StripeClient {
  readonly #options: StripeClientOptions
  readonly #limits: StripeLimits
  #stripe: Promise<Stripe> | undefined
  #watch: SilenceWatch | undefined

  constructor(options: StripeClientOptions) {
    this.#options = options
    this.#limits = { ...defaultStripeLimits, ...options.limits }
  }

  /** Sends a request that concerns a single object, or none. */
  ask<A>(
    call: StripeCall,
    ask: Ask<A>,
    idempotencyKey?: string
  ): Effect.Effect<A, PaymentFailed | PaymentObjectNotFound> {
    const { apiKey } = this.#options
    if (apiKey === undefined) return Effect.fail(new PaymentsNotConfigured({ missing: "key" }))
    const { totalMs } = this.#limits
    const key = Redacted.value(apiKey)
    const admitted = Effect.gen({ self: this }, function* () {
      const watch = this.#watchBy(yield* Clock.Clock, key)
      yield* watch.admit((retryAfterMs) => this.#unanswered(call, { retryAfterMs }))
      return yield* this.#try(call, ask, { apiKey: key, watch, idempotencyKey }, 0)
    })
    return admitted.pipe(
      Effect.timeoutOrElse({
        duration: totalMs,
        orElse: () => Effect.fail(this.#unanswered(call))
      })
    )
  }

  /** Sends a request that needs no existing object, so that it cannot fail because one is missing. */
  askAnything<A>(operation: string, ask: Ask<A>, idempotencyKey?: string): Effect.Effect<A, PaymentFailed> {
    return Effect.catchTag(this.ask({ operation, needs: {} }, ask, idempotencyKey), "PaymentObjectNotFound", Effect.die)
  }

  /** Reads a response with `read`. If its form is unknown, fails with a refusal that names the unknown field. */
  read<A>(operation: string, read: () => A): Effect.Effect<A, PaymentFailed> {
    return Effect.try({ try: read, catch: (cause) => unreadable(operation, cause) })
  }

  /** Reads an object that was looked up; fails with `PaymentObjectUnreadable` if its form is unknown. */
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
    by: AskedBy,
    retries: number
  ): Effect.Effect<A, PaymentFailed | PaymentObjectNotFound> {
    return this.#once(ask, by).pipe(
      Effect.mapError(({ cause }) => stripeFailure(call, cause)),
      Effect.catch((failure) =>
        Effect.gen({ self: this }, function* () {
          const delay = this.#delay(failure, retries, yield* Random.next)
          if (delay === undefined) return yield* failure.error
          yield* Effect.sleep(delay)
          // If Stripe has stored an outage as the response to the idempotency key, it would return it for a day, so the
          // retry uses another key.
          const { idempotencyKey: key } = by
          const next = key !== undefined && failure.isReplayed ? `${key}:again` : key
          return yield* this.#try(call, ask, { ...by, idempotencyKey: next }, retries + 1)
        })
      )
    )
  }

  #once<A>(ask: Ask<A>, { apiKey, idempotencyKey, watch }: AskedBy): Effect.Effect<A, { readonly cause: unknown }> {
    return watched(watch, async (signal) => {
      const stripe = await (this.#stripe ??= connect(this.#options, apiKey, this.#limits.requestMs))
      return withSignal(signal, () => ask(stripe, idempotencyKey === undefined ? {} : { idempotencyKey }))
    })
  }

  #watchBy(clock: Clock.Clock, apiKey: string): SilenceWatch {
    const probe = Effect.suspend(() => {
      const by = { apiKey, watch: this.#watchBy(clock, apiKey), idempotencyKey: undefined }
      return this.#once((stripe) => stripe.balance.retrieve(), by)
    })
    return (this.#watch ??= watchStripe(clock, this.#limits, probe))
  }

  #delay({ isRetryable, retryAfterMs = 0 }: StripeFailure, retries: number, random: number): number | undefined {
    const { baseDelayMs, maxDelayMs, retries: most } = this.#limits
    if (!isRetryable || retries >= most || retryAfterMs > maxDelayMs) return undefined
    return Math.max(retryAfterMs, Math.min(maxDelayMs, baseDelayMs * 2 ** retries) * (1 - random / 2))
  }

  #unanswered({ operation }: StripeCall, wait: { readonly retryAfterMs?: number } = {}): PaymentUnavailable {
    const cause = Object.assign(new Error("The payment provider does not answer."), { code: "ETIMEDOUT" })
    return new PaymentUnavailable({ operation, ...wait, cause })
  }
}
