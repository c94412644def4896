import { PaymentInbox } from "@parley/core/effect"
import { Clock, Effect, Schema } from "effect"
import { signedWebhook } from "../../access/signedWebhook.ts"
import { json } from "../../exchange/Exchange.ts"
import { rawBody } from "../../body/rawBody.ts"
import { named } from "../fields.ts"
import { defineRoute } from "../Route.ts"

/** The signature's header: the name in Parley's own interface, and the name that Stripe sends. */
const SIGNATURE_HEADERS = ["payment-signature", "stripe-signature"] as const

/** Admits the payment provider if its signature is valid. */
const paymentProvider = signedWebhook({
  name: "payment-signature",
  description: "The caller is the payment provider.",
  header: SIGNATURE_HEADERS[0],
  verify: Effect.fnUntraced(function* (payload, { headers }) {
    const inbox = yield* PaymentInbox
    const sent = SIGNATURE_HEADERS.map((name) => headers[name]).find((value) => value !== undefined && value !== "")
    const signature = Array.isArray(sent) ? sent[0] : sent
    return yield* inbox.verify({ payload, signature, receivedAt: yield* Clock.currentTimeMillis })
  })
})

/**
 * Applies the payment provider's events: each once, in any order of arrival. After a failure nothing is changed, and
 * the provider may send the event again.
 */
export const postPaymentWebhook = defineRoute({
  method: "POST",
  path: "/api/webhooks/payment",
  summary: "Receives an event of the payment provider",
  access: paymentProvider,
  body: rawBody("The event as the provider signed it."),
  responses: {
    200: {
      description: "Taken in.",
      schema: named("WebhookReceived", "The event is stored.", {
        received: Schema.Literal(true).annotate({ description: "Always true." })
      })
    }
  },
  errors: [
    "storage_unavailable",
    "payments_not_configured",
    "payment_provider_unavailable",
    "payment_provider_refused"
  ],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const inbox = yield* PaymentInbox
    yield* inbox.accept(caller)
    return json(200, { received: true })
  })
})
