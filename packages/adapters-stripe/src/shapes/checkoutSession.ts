import type { CheckoutSession, SoldItem } from "@parley/core/adapter"
import { priceIn, userIn } from "../metadata.ts"
import { ShapeReader } from "./ShapeReader.ts"

const MODES = { payment: "one-time", subscription: "subscription", setup: "setup" } as const

const PAID = { paid: true, no_payment_required: true, unpaid: false } as const

const COMPLETE = { complete: true, open: false, expired: false } as const

/** Reads the sold items from the entries of a list of line items. */
export const soldItems = (values: ReadonlyArray<unknown>): ReadonlyArray<SoldItem> =>
  new ShapeReader({ data: values }, "line_items").array("data").flatMap((line) => {
    const priceId = line.optionalId("price")
    return priceId === undefined ? [] : [{ priceId, quantity: line.whole("quantity") }]
  })

/**
 * Returns the items of a session that was requested with its items. If its metadata name a price, the items are not
 * needed.
 */
const itemsIn = (session: ShapeReader): Pick<CheckoutSession, "items"> => {
  const lines = priceIn(session.raw("metadata")) === undefined ? session.optionalObject("line_items") : undefined
  return lines === undefined || lines.flag("has_more") ? {} : { items: soldItems(lines.list("data")) }
}

/**
 * Reads a checkout session. `known` is "complete" if its event says so, because sessions before February 2022 have no
 * field `status`. Only the metadata name the person, because only this account's key can write metadata: a payment link
 * accepts any `client_reference_id` in the address that a customer opens.
 */
export const checkoutSession = (value: unknown, known?: "complete"): CheckoutSession => {
  const session = new ShapeReader(value, "session")
  const mode = session.oneOf("mode", MODES)
  const isComplete = session.has("status") || known === undefined ? session.oneOf("status", COMPLETE) : true
  const metadata = session.raw("metadata")
  return {
    id: session.text("id"),
    mode,
    customerId: session.optionalId("customer"),
    userId: userIn(metadata),
    priceId: priceIn(metadata),
    ...itemsIn(session),
    subscriptionId: session.optionalId("subscription"),
    paymentId: session.optionalId("payment_intent"),
    isPaid: isComplete && session.oneOf("payment_status", PAID),
    // A page that only stores a payment method has neither a total nor a currency.
    amountTotal: mode === "setup" ? 0 : session.amount("amount_total"),
    currency: mode === "setup" && !session.has("currency") ? "" : session.currency("currency"),
    createdAt: session.time("created")
  }
}
