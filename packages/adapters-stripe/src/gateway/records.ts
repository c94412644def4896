import type { PaymentEvent, PaymentGateway, PaymentRecord } from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages } from "../client/stripePages.ts"
import { checkoutSession } from "../shapes/checkoutSession.ts"
import { paidInvoice } from "../shapes/invoice.ts"
import { ShapeReader } from "../shapes/ShapeReader.ts"
import { orUnreadable } from "../shapes/subject.ts"
import { sinceSeconds } from "./lookups.ts"

/** Lists what Stripe keeps, each object read by itself. */
export const stripeRecords = (client: StripeClient): Pick<PaymentGateway["Service"], "records"> => {
  /** Without an id an object of a list can neither be named nor be asked for. */
  const recorded = (value: unknown, read: (value: unknown) => PaymentEvent) =>
    Effect.map(
      client.read("records", () => new ShapeReader(value, "list").text("id")),
      (id) => ({ id, ...orUnreadable(value, read) }) as PaymentRecord
    )
  return {
    records: ({ since }) => {
      const created = { gte: sinceSeconds(since) }
      const sessions = allPages(client, (page) =>
        client.askAnything("records", (stripe, options) =>
          stripe.checkout.sessions.list({ ...page, status: "complete", created, expand: ["data.line_items"] }, options)
        )
      ).pipe(
        Stream.mapEffect((value) =>
          recorded(value, (session) => ({ _tag: "Checkout", session: checkoutSession(session) }))
        ),
        Stream.filter((record) => record._tag !== "Checkout" || record.session.isPaid)
      )
      const invoices = allPages(client, (page) =>
        client.askAnything("records", (stripe, options) =>
          stripe.invoices.list({ ...page, status: "paid", created }, options)
        )
      ).pipe(
        Stream.mapEffect((value) =>
          recorded(value, (invoice) => ({ _tag: "InvoicePaid", invoice: paidInvoice(invoice) }))
        )
      )
      return Stream.concat(sessions, invoices)
    }
  }
}
