import {
  InvalidSignature,
  PackageMissing,
  PaymentRefused,
  type PaymentReports,
  PaymentsNotConfigured,
  type ReceivedPaymentEvent
} from "@parley/core/adapter"
import type { SignedEvent } from "@parley/core"
import { Effect, Redacted, Stream } from "effect"
import { loadStripe } from "../client/loadStripe.ts"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages } from "../client/stripePages.ts"
import { PAYMENT_EVENT_KINDS } from "../events/eventKinds.ts"
import { type EventOrigin, parseStripeEvent, stripeEventFrom } from "../events/parseStripeEvent.ts"
import { signedText } from "../events/verifySignature.ts"
import { UnknownShape } from "../shapes/ShapeReader.ts"
import { sinceSeconds } from "./lookups.ts"

type Calls = Pick<PaymentReports["Service"], "verify" | "read" | "events">

export interface ReceivedOptions {
  readonly origin: EventOrigin
  readonly webhookSecret: Redacted.Redacted<string> | undefined
}

/**
 * Logged if the signature is correct, so that only the provider can have signed the event, but its time is ahead of the
 * clock.
 */
const CLOCK_IS_SLOW =
  "An event of the payment provider is refused: it was signed more than five minutes ahead of this server's clock. Set the clock; the provider sends the event again."

/** The failure of a call for which the SDK could not be loaded. */
const unloaded = (cause: unknown): PaymentRefused =>
  new PaymentRefused({
    operation: "verify",
    reason: cause instanceof PackageMissing ? `${cause.code} ${cause.packageName}` : "unloadable",
    cause
  })

/** Reads events, both those that Stripe sends and those that it lists. */
export const stripeEvents = (client: StripeClient, options: ReceivedOptions): Calls => {
  const { origin, webhookSecret } = options

  const parsed = <A>(parse: () => A): A | UnknownShape => {
    try {
      return parse()
    } catch (error) {
      if (error instanceof UnknownShape) return error
      throw error
    }
  }

  /** Reads an entry of a list of events. If it is no event, it is left out, so that it does not stop the others. */
  const listed = (value: unknown): Effect.Effect<ReadonlyArray<ReceivedPaymentEvent>> => {
    const event = parsed(() => stripeEventFrom(value, JSON.stringify(value), origin))
    if (!(event instanceof UnknownShape)) return Effect.succeed([event])
    return Effect.as(
      Effect.logError("The payment provider lists something among its events that is not an event.").pipe(
        Effect.annotateLogs({ problem: event.message })
      ),
      []
    )
  }

  const verify = Effect.fn("StripePaymentGateway.verify")(function* (input: SignedEvent) {
    if (webhookSecret === undefined) return yield* new PaymentsNotConfigured({ missing: "webhook-secret" })
    const { Stripe } = yield* Effect.tryPromise({
      try: loadStripe,
      catch: unloaded
    })
    const signed = signedText(Stripe.webhooks, input, Redacted.value(webhookSecret))
    if ("problem" in signed) {
      if (signed.problem === "too-new") yield* Effect.logWarning(CLOCK_IS_SLOW)
      return yield* new InvalidSignature({ problem: signed.problem })
    }
    const event = parsed(() => parseStripeEvent(signed.text, origin))
    if (event instanceof UnknownShape) return yield* new InvalidSignature({ problem: "malformed" })
    return event
  })

  return {
    verify,
    read: (payload) => {
      const event = parsed(() => parseStripeEvent(payload, origin))
      return event instanceof UnknownShape
        ? Effect.fail(new PaymentRefused({ operation: "read", reason: `unreadable ${event.message}`, cause: event }))
        : Effect.succeed(event)
    },
    events: ({ since }) =>
      allPages(client, (page) =>
        client.askAnything("events", (stripe, request) =>
          stripe.events.list(
            { ...page, types: [...PAYMENT_EVENT_KINDS], created: { gte: sinceSeconds(since) } },
            request
          )
        )
      ).pipe(Stream.mapEffect(listed), Stream.flattenIterable)
  }
}
