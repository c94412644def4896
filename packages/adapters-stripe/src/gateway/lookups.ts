import {
  type CheckoutSession,
  type LookUpFailed,
  type PaidInvoice,
  type PaymentLookups,
  type PaymentObject,
  PaymentObjectNotFound
} from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import type Stripe from "stripe"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages } from "../client/stripePages.ts"
import { paymentCharge } from "../shapes/charge.ts"
import { checkoutSession, soldItems } from "../shapes/checkoutSession.ts"
import { invoiceLines, isPaidInvoice, originOf, paidInvoice } from "../shapes/invoice.ts"
import { paymentSubscription } from "../shapes/subscription.ts"
import { ShapeReader } from "../shapes/ShapeReader.ts"

/** Rounds a time down to Stripe's whole seconds, so that no object of the same second is missed. */
export const sinceSeconds = (since: number): number => Math.max(0, Math.floor(since / 1000))

/** Returns the subscription invoice that a payment has paid; undefined if the invoice is for no subscription. */
const paidPlan = (payment: unknown): string | undefined => {
  if (payment === undefined) return undefined
  const invoice = new ShapeReader(payment, "payment").object("invoice")
  return originOf(invoice).subscriptionId === undefined ? undefined : invoice.text("id")
}

/** Looks an object up by its id. */
const lookUp =
  <A>(
    client: StripeClient,
    object: PaymentObject,
    ask: (stripe: Stripe, id: string, options: Stripe.RequestOptions) => Promise<unknown>,
    read: (value: unknown) => A
  ) =>
  (id: string): Effect.Effect<A, LookUpFailed> =>
    client
      .ask({ operation: object, needs: { id: [object, id] } }, (stripe, options) => ask(stripe, id, options))
      .pipe(Effect.flatMap((found) => client.readObject(object, id, () => read(found))))

/** Looks up a checkout session. Stripe includes only its first items, so the others are listed. */
const lookUpSession = (client: StripeClient) => {
  const anySession = lookUp(
    client,
    "session",
    (stripe, id, options) => stripe.checkout.sessions.retrieve(id, { expand: ["line_items"] }, options),
    checkoutSession
  )
  const listedItems = (id: string) =>
    allPages(client, (page) =>
      client.askAnything("sessionItems", (stripe, options) => stripe.checkout.sessions.listLineItems(id, page, options))
    ).pipe(
      Stream.runCollect,
      Effect.flatMap((items) => client.readObject("session", id, () => soldItems([...items])))
    )
  return Effect.fnUntraced(function* (id: string): Effect.fn.Return<CheckoutSession, LookUpFailed> {
    const session = yield* anySession(id)
    const isCut = session.priceId === undefined && session.items === undefined && session.mode !== "setup"
    return isCut ? { ...session, items: yield* listedItems(id) } : session
  })
}

/** Looks up a paid invoice. Stripe includes only its first ten lines, so the others are listed. */
const lookUpInvoice = (client: StripeClient) => {
  const anyInvoice = lookUp(
    client,
    "invoice",
    (stripe, id, options) => stripe.invoices.retrieve(id, {}, options),
    (invoice) => (isPaidInvoice(invoice) ? paidInvoice(invoice) : undefined)
  )
  const listedLines = (id: string) =>
    allPages(client, (page) =>
      client.askAnything("invoiceLines", (stripe, options) => stripe.invoices.listLineItems(id, page, options))
    ).pipe(
      Stream.runCollect,
      Effect.flatMap((lines) => client.readObject("invoice", id, () => invoiceLines([...lines])))
    )
  return Effect.fnUntraced(function* (id: string): Effect.fn.Return<PaidInvoice, LookUpFailed> {
    const found = yield* anyInvoice(id)
    if (found === undefined) return yield* new PaymentObjectNotFound({ object: "invoice", id })
    const { isCut, ...invoice } = found
    return isCut === true ? { ...invoice, lines: yield* listedLines(id) } : invoice
  })
}

/** Looks up objects at Stripe by their ids. */
export const stripeLookups = (client: StripeClient): PaymentLookups["Service"] => ({
  session: lookUpSession(client),
  subscription: lookUp(
    client,
    "subscription",
    (stripe, id, options) => stripe.subscriptions.retrieve(id, {}, options),
    paymentSubscription
  ),
  charge: lookUp(client, "charge", (stripe, id, options) => stripe.charges.retrieve(id, {}, options), paymentCharge),
  paidInvoice: lookUpInvoice(client),
  paymentInvoice: (id) => {
    // Only payments with a payment intent can pay invoices since an invoice can have several payments.
    if (!id.startsWith("pi_")) return Effect.succeed(undefined)
    const payment = { type: "payment_intent", payment_intent: id } as const
    return client
      .askAnything("paymentInvoice", (stripe, options) =>
        stripe.invoicePayments.list({ payment, limit: 1, expand: ["data.invoice"] }, options)
      )
      .pipe(Effect.flatMap(({ data: [paid] }) => client.readObject("invoice", id, () => paidPlan(paid))))
  }
})
