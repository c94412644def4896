import type { PaymentEvent, PaymentFailed, PaymentRecord, PaymentReports } from "@parley/core/adapter"
import { Effect, Stream } from "effect"
import type Stripe from "stripe"
import type { StripeClient } from "../client/StripeClient.ts"
import { allPages, type PageParams } from "../client/stripePages.ts"
import { paymentCharge, paymentDispute, refundedCharge, tookMoney } from "../shapes/charge.ts"
import { checkoutSession } from "../shapes/checkoutSession.ts"
import { paidInvoice } from "../shapes/invoice.ts"
import { ShapeReader } from "../shapes/ShapeReader.ts"
import { orUnreadable } from "../shapes/subject.ts"
import { paymentSubscription } from "../shapes/subscription.ts"
import { sinceSeconds } from "./lookups.ts"

type Read = (value: unknown) => PaymentEvent | undefined

/**
 * A list of objects at Stripe, and the function that reads an object; it returns undefined for an object to be left
 * out.
 */
interface Listing {
  readonly list: (
    stripe: Stripe,
    page: PageParams,
    created: Stripe.RangeQueryParam,
    options: Stripe.RequestOptions
  ) => Promise<Stripe.ApiList<unknown>>
  readonly read: Read
}

const readSession: Read = (value) => {
  const session = checkoutSession(value)
  return session.isPaid ? { _tag: "Checkout", session } : undefined
}

const readRefund: Read = (value) => {
  const chargeId = refundedCharge(value)
  return chargeId === undefined ? undefined : { _tag: "Refund", chargeId }
}

const LISTINGS: ReadonlyArray<Listing> = [
  {
    list: (stripe, page, created, options) => stripe.charges.list({ ...page, created }, options),
    read: (value) => (tookMoney(value) ? { _tag: "Charge", charge: paymentCharge(value) } : undefined)
  },
  {
    list: (stripe, page, created, options) => stripe.refunds.list({ ...page, created }, options),
    read: readRefund
  },
  {
    list: (stripe, page, created, options) => stripe.disputes.list({ ...page, created }, options),
    read: (value) => ({ _tag: "Dispute", dispute: paymentDispute(value) })
  },
  {
    list: (stripe, page, created, options) =>
      stripe.checkout.sessions.list({ ...page, status: "complete", created, expand: ["data.line_items"] }, options),
    read: readSession
  },
  {
    list: (stripe, page, created, options) => stripe.invoices.list({ ...page, status: "paid", created }, options),
    read: (value) => ({ _tag: "InvoicePaid", invoice: paidInvoice(value) })
  },
  {
    // Without a status, Stripe lists all subscriptions that have not ended.
    list: (stripe, page, _created, options) => stripe.subscriptions.list(page, options),
    read: (value) => ({ _tag: "Subscription", subscription: paymentSubscription(value) })
  }
]

/** Lists the objects at Stripe. Each is read separately, so that an unreadable one does not stop the others. */
export const stripeRecords = (client: StripeClient): Pick<PaymentReports["Service"], "records"> => {
  /** Reads an object of a list; fails if it has no id. */
  const recorded = (value: unknown, read: Read): Effect.Effect<ReadonlyArray<PaymentRecord>, PaymentFailed> =>
    Effect.map(
      client.read("records", () => new ShapeReader(value, "list").text("id")),
      (id) => {
        const found = orUnreadable(value, read)
        return found === undefined ? [] : [{ id, ...found } as PaymentRecord]
      }
    )
  return {
    records: ({ since }) =>
      Stream.fromIterable(LISTINGS).pipe(
        Stream.flatMap(({ list, read }) =>
          allPages(client, (page) =>
            client.askAnything("records", (stripe, options) =>
              list(stripe, page, { gte: sinceSeconds(since) }, options)
            )
          ).pipe(Stream.mapEffect((value) => recorded(value, read)))
        ),
        Stream.flattenIterable
      )
  }
}
