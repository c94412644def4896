import {
  type CheckoutInput,
  type CreateCustomerInput,
  type PaymentFailed,
  type PaymentGateway,
  PaymentsNotConfigured,
  type PortalInput
} from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import type Stripe from "stripe"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages } from "../client/stripePages.ts"
import { metadataOf, USER_KEY } from "../metadata.ts"
import { ShapeReader } from "../shapes/ShapeReader.ts"

type Calls = Pick<
  PaymentGateway["Service"],
  "createCustomer" | "portalSession" | "checkoutSession" | "closeCheckouts" | "endSubscription"
>

/** The parameters of a checkout page. Person and price are set on every object that it creates, because Stripe copies neither. */
const checkoutParams = (input: CheckoutInput): Stripe.Checkout.SessionCreateParams => {
  const metadata = metadataOf(input.userId, input.priceId)
  return {
    customer: input.customerId,
    client_reference_id: input.userId,
    line_items: [{ price: input.priceId, quantity: 1 }],
    success_url: input.successUrl,
    cancel_url: input.cancelUrl,
    metadata,
    ...(input.mode === "subscription"
      ? { mode: "subscription", subscription_data: { metadata } }
      : { mode: "payment", payment_intent_data: { metadata }, invoice_creation: { enabled: true } })
  }
}

/**
 * Stripe refuses a key that comes again within a day with other parameters, as after a person changed their address, and
 * one of more than 255 characters: so the key is a digest of all that is asked.
 */
const customerKey = async ({ email, idempotencyKey, userId }: CreateCustomerInput): Promise<string> => {
  const asked = new TextEncoder().encode(JSON.stringify([idempotencyKey, userId, email ?? null]))
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", asked))
  return `customer:${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

/** Closes a page. One that was paid or closed meanwhile, which Stripe refuses to close, is as it is to be. */
const closePage = (client: StripeClient, id: string): Effect.Effect<void, PaymentFailed> =>
  client
    .askAnything("closeCheckouts", (stripe, options) => stripe.checkout.sessions.expire(id, {}, options))
    .pipe(
      Effect.asVoid,
      Effect.catchTag("PaymentRefused", (refusal) =>
        Effect.flatMap(
          client.askAnything("closeCheckouts", (stripe, options) => stripe.checkout.sessions.retrieve(id, {}, options)),
          ({ status }) => (status === "open" ? Effect.fail(refusal) : Effect.void)
        )
      )
    )

const MODES = { subscription: "subscription", "one-time": "payment" } as const

/** Closes the open checkout pages of a customer. */
const closeCheckouts =
  (client: StripeClient): Calls["closeCheckouts"] =>
  ({ customerId: customer, mode }) =>
    allPages(client, (page) =>
      client.ask({ operation: "closeCheckouts", needs: { customer: ["customer", customer] } }, (stripe, options) =>
        stripe.checkout.sessions.list({ ...page, customer, status: "open" }, options)
      )
    ).pipe(
      Stream.filter((session) => mode === undefined || session.mode === MODES[mode]),
      Stream.mapEffect((session) =>
        client.read("closeCheckouts", () => new ShapeReader(session, "session").text("id"))
      ),
      // All pages are listed before any is closed: closing would shift the list of open pages under the cursor.
      Stream.runCollect,
      Effect.flatMap((ids) => Effect.forEach(ids, (id) => closePage(client, id), { discard: true })),
      Effect.catchTag("PaymentObjectNotFound", () => Effect.void)
    )

/**
 * The customers at Stripe, and the pages of Stripe to which people are sent. Without `takesEvents` nothing is sold, because a
 * payment would then bring no credits.
 */
export const stripePages = (client: StripeClient, takesEvents: boolean): Calls => ({
  createCustomer: Effect.fnUntraced(function* (input: CreateCustomerInput) {
    const { email, userId } = input
    const key = yield* Effect.promise(() => customerKey(input))
    const customerId = yield* client.askAnything(
      "createCustomer",
      async (stripe, options) => {
        const params = { ...(email === undefined ? {} : { email }), metadata: { [USER_KEY]: userId } }
        return new ShapeReader(await stripe.customers.create(params, options), "customer").text("id")
      },
      key
    )
    return { customerId }
  }),

  closeCheckouts: closeCheckouts(client),

  endSubscription: (id: string) =>
    Effect.asVoid(
      client.ask({ operation: "endSubscription", needs: { id: ["subscription", id] } }, (stripe, options) =>
        stripe.subscriptions.cancel(id, {}, options)
      )
    ),

  portalSession: ({ customerId, returnUrl }: PortalInput) =>
    Effect.suspend(() =>
      client.ask(
        { operation: "portalSession", needs: { customer: ["customer", customerId] } },
        async (stripe, options) => {
          const params = { customer: customerId, return_url: returnUrl }
          const session = await stripe.billingPortal.sessions.create(params, options)
          return { url: new ShapeReader(session, "portal").text("url") }
        },
        // For its own retries alone: a page opens for each call, and soon goes.
        crypto.randomUUID()
      )
    ),

  checkoutSession: Effect.fnUntraced(function* (input: CheckoutInput) {
    if (!takesEvents) return yield* new PaymentsNotConfigured({ missing: "webhook-secret" })
    return yield* client.ask(
      {
        operation: "checkoutSession",
        needs: { customer: ["customer", input.customerId], "line_items[0][price]": ["price", input.priceId] }
      },
      async (stripe, options) => {
        const session = new ShapeReader(
          await stripe.checkout.sessions.create(checkoutParams(input), options),
          "session"
        )
        return { sessionId: session.text("id"), url: session.text("url") }
      },
      input.idempotencyKey
    )
  })
})
