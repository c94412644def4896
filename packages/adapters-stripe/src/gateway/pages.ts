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

/**
 * Returns the parameters of a checkout page. The person and the price are written to the metadata of every object that
 * the page creates, because Stripe copies neither from one to another.
 */
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
 * Returns the idempotency key for creating a customer: a digest of all parameters. Stripe refuses a key that is used
 * again within a day with other parameters, for example after a person has changed their address, and a key of more
 * than 255 characters.
 */
const customerKey = async ({ email, idempotencyKey, userId }: CreateCustomerInput): Promise<string> => {
  const asked = new TextEncoder().encode(JSON.stringify([idempotencyKey, userId, email ?? null]))
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", asked))
  return `customer:${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

/** Closes a checkout page. Stripe refuses this if the page was paid or closed meanwhile, which is no failure. */
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
      // All open pages are listed before the first one is closed, because closing a page would move the others under
      // the cursor.
      Stream.runCollect,
      Effect.flatMap((ids) => Effect.forEach(ids, (id) => closePage(client, id), { discard: true })),
      Effect.catchTag("PaymentObjectNotFound", () => Effect.void)
    )

/**
 * Creates customers at Stripe, and opens the pages of Stripe to which people are sent. If `takesEvents` is false,
 * nothing is sold, because a payment would add no credits.
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
        // This idempotency key serves only retries of this call, because each call opens a page of its own, which
        // expires soon.
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
