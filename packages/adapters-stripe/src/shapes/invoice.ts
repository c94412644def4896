import type { Invoice } from "@parley/core"
import type { InvoiceLine, InvoiceReason, PaidInvoice } from "@parley/core/adapter"
import { majorUnits } from "../currency.ts"
import { userIn } from "../metadata.ts"
import { ShapeReader } from "./ShapeReader.ts"

const REASONS: Readonly<Record<string, InvoiceReason>> = {
  subscription_create: "create",
  subscription_cycle: "cycle",
  subscription_update: "update",
  subscription_threshold: "other",
  // Invoices before May 2018 have this reason in place of the four above.
  subscription: "other",
  automatic_pending_invoice_item_invoice: "other",
  manual: "other",
  quote_accept: "other",
  upcoming: "other"
}

type Belonging = Pick<InvoiceLine, "subscriptionId" | "isProration">

/** The kinds of lines that pay for a subscription: its items, and their corrections. */
const SUBSCRIPTION_LINES: ReadonlySet<unknown> = new Set(["subscription_item_details", "invoice_item_details"])

/**
 * Returns the subscription of a line; undefined if the line does not pay for a subscription. Since 2025-03-31 the
 * subscription is in `parent`; older versions of the interface may have `parent` as well.
 */
const belonging = (line: ShapeReader): Belonging | undefined => {
  const parent = line.optionalObject("parent")
  if (parent === undefined) {
    return { subscriptionId: line.optionalId("subscription"), isProration: line.flag("proration") }
  }
  const kind = parent.raw("type")
  if (typeof kind !== "string" || !SUBSCRIPTION_LINES.has(kind)) return undefined
  const item = parent.object(kind)
  return { subscriptionId: item.optionalId("subscription"), isProration: item.flag("proration") }
}

/**
 * Returns the price of a line: in `pricing` since 2025-03-31, in `price` before, and in `plan` before prices existed.
 */
const priceOf = (line: ShapeReader): string | undefined => {
  const pricing = line.optionalObject("pricing")
  if (pricing !== undefined) return pricing.optionalObject("price_details")?.id("price")
  return line.optionalId("price") ?? line.optionalId("plan")
}

const invoiceLine = (line: ShapeReader): ReadonlyArray<InvoiceLine> => {
  const belongsTo = belonging(line)
  if (belongsTo === undefined) return []
  const period = line.object("period")
  return [
    {
      priceId: priceOf(line),
      ...belongsTo,
      periodStart: period.time("start"),
      periodEnd: period.time("end"),
      amount: line.whole("amount"),
      // A line that is only an amount has no quantity.
      quantity: line.optionalWhole("quantity") ?? 1
    }
  ]
}

/** Reads the entries of a list of lines; lines that pay for no part of a subscription are left out. */
export const invoiceLines = (values: ReadonlyArray<unknown>): ReadonlyArray<InvoiceLine> =>
  new ShapeReader({ data: values }, "lines").array("data").flatMap(invoiceLine)

interface Origin {
  readonly subscriptionId: string | undefined
  readonly metadata: unknown
}

/** Returns the subscription of an invoice, and the metadata that the subscription had at that time. */
export const originOf = (invoice: ShapeReader): Origin => {
  const parent = invoice.optionalObject("parent")
  if (parent !== undefined) {
    const isOfSubscription = parent.oneOf("type", { subscription_details: true, quote_details: false })
    if (!isOfSubscription) return { subscriptionId: undefined, metadata: undefined }
    const details = parent.object("subscription_details")
    return { subscriptionId: details.id("subscription"), metadata: details.raw("metadata") }
  }
  if (!invoice.knows("subscription") && !invoice.knows("parent")) invoice.refuse("parent", "missing")
  const details = invoice.optionalObject("subscription_details")
  return { subscriptionId: invoice.optionalId("subscription"), metadata: details?.raw("metadata") }
}

/** Before June 2023, only the lines of an invoice contained the metadata of its subscription. */
const userOfLines = (lines: ReadonlyArray<ShapeReader>): string | undefined =>
  lines.map((line) => userIn(line.raw("metadata"))).find((user) => user !== undefined)

/** Reads a paid invoice, of either generation of Stripe's interface. */
export const paidInvoice = (value: unknown): PaidInvoice => {
  const invoice = new ShapeReader(value, "invoice")
  const { metadata, subscriptionId } = originOf(invoice)
  const lines = invoice.object("lines")
  const data = lines.array("data")
  return {
    id: invoice.text("id"),
    customerId: invoice.optionalId("customer"),
    subscriptionId,
    userId: userIn(metadata) ?? (subscriptionId === undefined ? undefined : userOfLines(data)),
    reason: invoice.has("billing_reason") ? invoice.oneOf("billing_reason", REASONS) : "other",
    amountPaid: invoice.amount("amount_paid"),
    currency: invoice.currency("currency"),
    lines: data.flatMap(invoiceLine),
    ...(lines.flag("has_more") ? { isCut: true } : {}),
    createdAt: invoice.time("created")
  }
}

/** True if an invoice is paid. */
export const isPaidInvoice = (value: unknown): boolean => new ShapeReader(value, "invoice").raw("status") === "paid"

/** Returns the description of an invoice, or that of its first line. */
const descriptionOf = (invoice: ShapeReader): string | undefined =>
  invoice.optionalText("description") ??
  (invoice
    .optionalObject("lines")
    ?.array("data")
    .map((line) => line.raw("description"))
    .find((text) => typeof text === "string" && text !== "") as string | undefined)

/** Reads an invoice in the form in which people see it. */
export const listedInvoice = (value: unknown): Invoice => {
  const invoice = new ShapeReader(value, "invoice")
  const currency = invoice.currency("currency")
  return {
    id: invoice.text("id"),
    amount: majorUnits(invoice.whole("total"), currency),
    currency,
    status: invoice.optionalText("status"),
    createdAt: invoice.time("created"),
    invoiceUrl: invoice.optionalText("hosted_invoice_url"),
    description: descriptionOf(invoice)
  }
}
