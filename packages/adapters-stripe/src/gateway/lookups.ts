import {
  type CheckoutSession,
  type InvoicesInput,
  type LookUpFailed,
  type PaidInvoice,
  type PaymentFailed,
  type PaymentGateway,
  type PaymentObject,
  PaymentObjectNotFound,
  type PriceOffer
} from "@parley/core/adapter"
import type { Invoice } from "@parley/core"
import { Effect, Stream } from "effect"
import type Stripe from "stripe"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages, PAGE_SIZE } from "../client/stripePages.ts"
import { paymentCharge } from "../shapes/charge.ts"
import { checkoutSession, soldItems } from "../shapes/checkoutSession.ts"
import { invoiceLines, isPaidInvoice, listedInvoice, originOf, paidInvoice } from "../shapes/invoice.ts"
import { priceOffer } from "../shapes/price.ts"
import { paymentSubscription } from "../shapes/subscription.ts"
import { ShapeReader } from "../shapes/ShapeReader.ts"
import { orUnreadable } from "../shapes/subject.ts"

type Calls = Pick<
  PaymentGateway["Service"],
  "session" | "subscription" | "paidInvoice" | "charge" | "paymentInvoice" | "invoices" | "prices"
>

/** Prices are asked for one by one: Stripe lists none by their ids. */
const PRICES_AT_ONCE = 8

/** Whole seconds, as Stripe has them; none of the millisecond's own second is left out. */
export const sinceSeconds = (since: number): number => Math.max(0, Math.floor(since / 1000))

const isFinal = (invoice: Stripe.Invoice): boolean => invoice.status !== "draft"

/** The invoice of a subscription that something has paid; undefined for one that is for no subscription. */
const paidPlan = (payment: unknown): string | undefined => {
  if (payment === undefined) return undefined
  const invoice = new ShapeReader(payment, "payment").object("invoice")
  return originOf(invoice).subscriptionId === undefined ? undefined : invoice.text("id")
}

/** What Stripe keeps, asked for. */
export const stripeLookups = (client: StripeClient): Calls => {
  const lookUp =
    <A>(
      object: PaymentObject,
      ask: (stripe: Stripe, id: string, options: Stripe.RequestOptions) => Promise<unknown>,
      read: (value: unknown) => A
    ) =>
    (id: string): Effect.Effect<A, LookUpFailed> =>
      client
        .ask({ operation: object, needs: { id: [object, id] } }, (stripe, options) => ask(stripe, id, options))
        .pipe(Effect.flatMap((found) => client.readObject(object, id, () => read(found))))

  /** Something that people are shown; what cannot be read is left out and logged. */
  const shown = <A extends object>(value: unknown, read: (value: unknown) => A | undefined) => {
    const found = orUnreadable(value, read)
    if (found === undefined) return Effect.succeed([])
    if (!("_tag" in found)) return Effect.succeed([found])
    const { problem } = found
    return Effect.as(
      Effect.annotateLogs(Effect.logError("An object of the payment provider could not be read."), { problem }),
      []
    )
  }

  const offer = (priceId: string): Effect.Effect<ReadonlyArray<PriceOffer>, PaymentFailed> =>
    client
      .ask({ operation: "price", needs: { id: ["price", priceId] } }, (stripe, options) =>
        stripe.prices.retrieve(priceId, {}, options)
      )
      .pipe(
        Effect.flatMap((price) => shown<PriceOffer>(price, priceOffer)),
        Effect.catchTag("PaymentObjectNotFound", () => Effect.succeed([]))
      )

  const customerInvoices = ({ customerId, limit }: InvoicesInput) => {
    const call = { operation: "invoices", needs: { customer: ["customer", customerId] } } as const
    const params = { customer: customerId, limit: Math.min(limit, PAGE_SIZE) }
    return allPages(client, (page) =>
      client.ask(call, (stripe, options) => stripe.invoices.list({ ...page, ...params }, options))
    ).pipe(
      Stream.filter(isFinal),
      Stream.take(limit),
      Stream.mapEffect((invoice) => shown<Invoice>(invoice, listedInvoice)),
      Stream.flattenIterable,
      Stream.runCollect,
      Effect.map((invoices): ReadonlyArray<Invoice> => [...invoices])
    )
  }

  const listedLines = (id: string) =>
    allPages(client, (page) =>
      client.askAnything("invoiceLines", (stripe, options) => stripe.invoices.listLineItems(id, page, options))
    ).pipe(
      Stream.runCollect,
      Effect.flatMap((lines) => client.readObject("invoice", id, () => invoiceLines([...lines])))
    )

  const anySession = lookUp(
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

  const anyInvoice = lookUp(
    "invoice",
    (stripe, id, options) => stripe.invoices.retrieve(id, {}, options),
    (invoice) => (isPaidInvoice(invoice) ? paidInvoice(invoice) : undefined)
  )

  return {
    session: Effect.fnUntraced(function* (id: string): Effect.fn.Return<CheckoutSession, LookUpFailed> {
      const session = yield* anySession(id)
      const isCut = session.priceId === undefined && session.items === undefined && session.mode !== "setup"
      return isCut ? { ...session, items: yield* listedItems(id) } : session
    }),
    subscription: lookUp(
      "subscription",
      (stripe, id, options) => stripe.subscriptions.retrieve(id, {}, options),
      paymentSubscription
    ),
    charge: lookUp("charge", (stripe, id, options) => stripe.charges.retrieve(id, {}, options), paymentCharge),
    // Stripe brings only the first ten lines along.
    paidInvoice: Effect.fnUntraced(function* (id: string): Effect.fn.Return<PaidInvoice, LookUpFailed> {
      const found = yield* anyInvoice(id)
      if (found === undefined) return yield* new PaymentObjectNotFound({ object: "invoice", id })
      const { isCut, ...invoice } = found
      return isCut === true ? { ...invoice, lines: yield* listedLines(id) } : invoice
    }),
    paymentInvoice: (id) => {
      // Payments of an intent are the only ones that pay invoices since invoices can have several.
      if (!id.startsWith("pi_")) return Effect.succeed(undefined)
      const payment = { type: "payment_intent", payment_intent: id } as const
      return client
        .askAnything("paymentInvoice", (stripe, options) =>
          stripe.invoicePayments.list({ payment, limit: 1, expand: ["data.invoice"] }, options)
        )
        .pipe(Effect.flatMap(({ data: [paid] }) => client.readObject("invoice", id, () => paidPlan(paid))))
    },
    invoices: customerInvoices,
    prices: (ids) => Effect.map(Effect.forEach(ids, offer, { concurrency: PRICES_AT_ONCE }), (offers) => offers.flat())
  }
}
