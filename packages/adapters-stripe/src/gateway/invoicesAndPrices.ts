import type { InvoicesInput, PaymentFailed, PaymentGateway, PriceOffer } from "@parley/core/adapter"
import type { Invoice } from "@parley/core"
import { Effect, Stream } from "effect"
import type Stripe from "stripe"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages, PAGE_SIZE } from "../client/stripePages.ts"
import { listedInvoice } from "../shapes/invoice.ts"
import { priceOffer } from "../shapes/price.ts"
import { orUnreadable } from "../shapes/subject.ts"

/**
 * The number of concurrent requests for prices. Prices are requested one by one, because Stripe does not list prices by
 * their ids.
 */
const PRICES_AT_ONCE = 8

const isFinal = (invoice: Stripe.Invoice): boolean => invoice.status !== "draft"

/** Reads the invoices and prices that people see. If one of them cannot be read, it is left out and logged. */
export const stripeInvoicesAndPrices = (
  client: StripeClient
): Pick<PaymentGateway["Service"], "invoices" | "prices"> => {
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

  const invoices = ({ customerId, limit }: InvoicesInput) => {
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

  return {
    invoices,
    prices: (ids) => Effect.map(Effect.forEach(ids, offer, { concurrency: PRICES_AT_ONCE }), (offers) => offers.flat())
  }
}
