import type { InvoiceLine, PaidInvoice, PaymentFailed } from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages } from "../client/stripePages.ts"
import { invoiceLines, paidInvoice, type ReadInvoice } from "../shapes/invoice.ts"

/** Reads invoices with all their lines: Stripe brings only the first ten along. */
export interface InvoiceCompletion {
  readonly paid: (invoice: unknown) => ReadInvoice
  readonly complete: (invoice: PaidInvoice, isCut: boolean) => Effect.Effect<PaidInvoice, PaymentFailed>
}

export const invoiceCompletion = (client: StripeClient): InvoiceCompletion => ({
  paid: paidInvoice,
  complete: (invoice, isCut) => {
    if (!isCut) return Effect.succeed(invoice)
    return allPages((page) =>
      client.askAnything("invoiceLines", (stripe, options) => stripe.invoices.listLineItems(invoice.id, page, options))
    ).pipe(
      Stream.mapEffect((line) => client.read("invoiceLines", () => invoiceLines([line]))),
      Stream.runCollect,
      Effect.map((lines) => ({ ...invoice, lines: [...lines].flatMap((line): ReadonlyArray<InvoiceLine> => line) }))
    )
  }
})
