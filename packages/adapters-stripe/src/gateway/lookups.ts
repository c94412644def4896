import {
  type Invoice,
  type InvoicesInput,
  type PaidInvoice,
  type PaymentFailed,
  type PaymentGateway,
  type PaymentObject,
  PaymentObjectNotFound,
  type PriceOffer
} from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import type Stripe from "stripe"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages, PAGE_SIZE } from "../client/stripePages.ts"
import { paymentCharge } from "../shapes/charge.ts"
import { checkoutSession } from "../shapes/checkoutSession.ts"
import { isPaidInvoice, listedInvoice } from "../shapes/invoice.ts"
import { priceOffer } from "../shapes/price.ts"
import { paymentSubscription } from "../shapes/subscription.ts"
import { ShapeReader } from "../shapes/ShapeReader.ts"
import type { InvoiceCompletion } from "./invoiceCompletion.ts"

type Calls = Pick<
  PaymentGateway["Service"],
  | "session"
  | "subscription"
  | "paidInvoice"
  | "charge"
  | "paymentInvoice"
  | "invoices"
  | "prices"
  | "paidSessions"
  | "paidInvoices"
>

/** Prices are asked for one by one: Stripe lists none by their ids. */
const PRICES_AT_ONCE = 8

/** Whole seconds, as Stripe has them; none of the millisecond's own second is left out. */
export const sinceSeconds = (since: number): number => Math.max(0, Math.floor(since / 1000))

const isFinal = (invoice: Stripe.Invoice): boolean => invoice.status !== "draft"

/** What Stripe keeps, asked for. */
export const stripeLookups = (client: StripeClient, { complete, paid }: InvoiceCompletion): Calls => {
  const lookUp =
    <A>(object: PaymentObject, read: (stripe: Stripe, id: string, options: Stripe.RequestOptions) => Promise<A>) =>
    (id: string) =>
      client.ask({ operation: object, needs: { id: [object, id] } }, (stripe, options) => read(stripe, id, options))

  const offer = (priceId: string): Effect.Effect<PriceOffer | undefined, PaymentFailed> => {
    const price = lookUp("price", async (stripe, id, options) =>
      priceOffer(await stripe.prices.retrieve(id, {}, options))
    )
    return Effect.catchTag(price(priceId), "PaymentObjectNotFound", () => Effect.succeed(undefined))
  }

  const customerInvoices = ({ customerId, limit }: InvoicesInput) => {
    const call = { operation: "invoices", needs: { customer: ["customer", customerId] } } as const
    const params = { customer: customerId, limit: Math.min(limit, PAGE_SIZE) }
    return allPages((page) =>
      client.ask(call, (stripe, options) => stripe.invoices.list({ ...page, ...params }, options))
    ).pipe(
      Stream.filter(isFinal),
      Stream.take(limit),
      Stream.mapEffect((invoice) => client.read("invoices", () => listedInvoice(invoice))),
      Stream.runCollect,
      Effect.map((invoices): ReadonlyArray<Invoice> => [...invoices])
    )
  }

  const paidInvoice = (id: string) =>
    lookUp("invoice", async (stripe, invoiceId, options) => {
      const invoice = await stripe.invoices.retrieve(invoiceId, {}, options)
      return isPaidInvoice(invoice) ? paid(invoice) : undefined
    })(id).pipe(
      Effect.flatMap((found): Effect.Effect<PaidInvoice, PaymentFailed | PaymentObjectNotFound> =>
        found === undefined
          ? Effect.fail(new PaymentObjectNotFound({ object: "invoice", id }))
          : complete(found.invoice, found.isCut)
      )
    )

  return {
    session: lookUp("session", async (stripe, id, options) =>
      checkoutSession(await stripe.checkout.sessions.retrieve(id, {}, options))
    ),
    subscription: lookUp("subscription", async (stripe, id, options) =>
      paymentSubscription(await stripe.subscriptions.retrieve(id, {}, options))
    ),
    charge: lookUp("charge", async (stripe, id, options) =>
      paymentCharge(await stripe.charges.retrieve(id, {}, options))
    ),
    paidInvoice,
    paymentInvoice: (id) => {
      // Payments of an intent are the only ones that pay invoices since invoices can have several.
      if (!id.startsWith("pi_")) return Effect.succeed(undefined)
      const payment = { type: "payment_intent", payment_intent: id } as const
      return client
        .askAnything("paymentInvoice", (stripe, options) => stripe.invoicePayments.list({ payment, limit: 1 }, options))
        .pipe(
          Effect.flatMap(({ data }) =>
            client.read("paymentInvoice", () => data.map((paid) => new ShapeReader(paid, "payment").id("invoice"))[0])
          )
        )
    },
    invoices: customerInvoices,
    prices: (ids) =>
      Effect.map(Effect.forEach(ids, offer, { concurrency: PRICES_AT_ONCE }), (offers) =>
        offers.filter((found) => found !== undefined)
      ),

    paidSessions: ({ since }) =>
      allPages((page) =>
        client.askAnything("paidSessions", (stripe, options) =>
          stripe.checkout.sessions.list({ ...page, status: "complete", created: { gte: sinceSeconds(since) } }, options)
        )
      ).pipe(
        Stream.mapEffect((session) => client.read("paidSessions", () => checkoutSession(session))),
        Stream.filter(({ isPaid }) => isPaid)
      ),

    paidInvoices: ({ since }) =>
      allPages((page) =>
        client.askAnything("paidInvoices", (stripe, options) =>
          stripe.invoices.list({ ...page, status: "paid", created: { gte: sinceSeconds(since) } }, options)
        )
      ).pipe(
        Stream.mapEffect((invoice) => client.read("paidInvoices", () => paid(invoice))),
        Stream.mapEffect((found): Effect.Effect<PaidInvoice, PaymentFailed> => complete(found.invoice, found.isCut))
      )
  }
}
