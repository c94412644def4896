import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseStripeEvent } from "../src/events/parseStripeEvent.ts"
import {
  charge,
  dispute,
  event,
  generations,
  invoice,
  refund,
  SECONDS,
  session,
  subscription
} from "./payloads/generations.ts"

const january = SECONDS.january * 1000
const february = SECONDS.february * 1000

const reported = (value: unknown, livemode?: boolean) => parseStripeEvent(JSON.stringify(value), { livemode }).event

const readSession = {
  id: "cs_1",
  mode: "subscription",
  customerId: "cus_1",
  userId: "ann",
  priceId: "price_pro",
  subscriptionId: "sub_1",
  paymentId: undefined,
  isPaid: true,
  amountTotal: 2_000,
  currency: "usd",
  createdAt: january
}

const readLine = {
  priceId: "price_pro",
  subscriptionId: "sub_1",
  isProration: false,
  periodStart: january,
  periodEnd: february,
  amount: 2_000,
  quantity: 1
}

const readInvoice = {
  id: "in_1",
  customerId: "cus_1",
  subscriptionId: "sub_1",
  userId: "ann",
  reason: "cycle",
  amountPaid: 2_000,
  currency: "usd",
  lines: [readLine],
  createdAt: january
}

const readSubscription = {
  id: "sub_1",
  customerId: "cus_1",
  userId: "ann",
  status: "active",
  items: [{ priceId: "price_pro", periodStart: january, periodEnd: february }],
  startedAt: january,
  endsAt: undefined,
  endedAt: undefined
}

describe.each(generations)("an event of %s", (generation) => {
  it("of an invoice tells the period of each line, not the invoice's own", () => {
    expect(reported(event(generation, "invoice.paid", invoice(generation)))).toEqual({
      _tag: "InvoicePaid",
      invoice: readInvoice
    })
  })

  it("tells corrections of a period apart from what pays for one", () => {
    const paid = invoice(generation, { billing_reason: "subscription_update" }, [true, false])
    expect(reported(event(generation, "invoice.paid", paid))).toMatchObject({
      invoice: { reason: "update", lines: [{ isProration: true }, { isProration: false }] }
    })
  })

  it("of a subscription tells the periods of its items", () => {
    expect(reported(event(generation, "customer.subscription.updated", subscription(generation)))).toEqual({
      _tag: "Subscription",
      subscription: readSubscription
    })
  })

  it("tells when a subscription ends with its period, at a time, or has ended", () => {
    const kind = "customer.subscription.updated"
    const ends = (more: object) => reported(event(generation, kind, subscription(generation, more)))
    expect(ends({ cancel_at_period_end: true })).toMatchObject({ subscription: { endsAt: february } })
    expect(ends({ cancel_at: SECONDS.february + 60 })).toMatchObject({ subscription: { endsAt: february + 60_000 } })
    expect(ends({ status: "canceled", ended_at: SECONDS.february, cancel_at_period_end: true })).toMatchObject({
      subscription: { status: "ended", endsAt: undefined, endedAt: february }
    })
  })

  it.each([
    ["incomplete", "incomplete"],
    ["incomplete_expired", "ended"],
    ["trialing", "trialing"],
    ["past_due", "past-due"],
    ["unpaid", "unpaid"],
    ["paused", "paused"]
  ])("tells the status %s as %s", (status, named) => {
    const updated = event(generation, "customer.subscription.updated", subscription(generation, { status }))
    expect(reported(updated)).toMatchObject({ subscription: { status: named } })
  })

  it("names the customer, also where the customer stands there whole", () => {
    const received = (customer: unknown) =>
      parseStripeEvent(JSON.stringify(event(generation, "invoice.paid", invoice(generation, { customer }))))
    expect(received("cus_1").customerId).toBe("cus_1")
    expect(received({ id: "cus_1", object: "customer", deleted: true })).toMatchObject({
      customerId: "cus_1",
      event: { invoice: { customerId: "cus_1" } }
    })
  })
})

describe("an event", () => {
  it("of a checkout that is complete tells what was bought, by whom, and whether it is paid", () => {
    const completed = (more: object) =>
      reported(event("2026-10-28.endive", "checkout.session.completed", session(more)))
    expect(completed({})).toEqual({ _tag: "Checkout", session: readSession })
    expect(completed({ payment_status: "no_payment_required" })).toMatchObject({ session: { isPaid: true } })
    expect(completed({ payment_status: "unpaid" })).toMatchObject({ session: { isPaid: false } })
    expect(completed({ payment_status: "no_payment_required", status: "open" })).toMatchObject({
      session: { isPaid: false }
    })
    // A payment link takes its client reference from the address that its customer opens.
    expect(completed({ metadata: {} })).toMatchObject({ session: { userId: undefined, priceId: undefined } })
    const bought = { mode: "payment", payment_intent: "pi_1", subscription: null }
    expect(completed(bought)).toMatchObject({ session: { mode: "one-time", paymentId: "pi_1" } })
    const stored = { mode: "setup", amount_total: null, currency: null, payment_status: "no_payment_required" }
    expect(completed(stored)).toMatchObject({ session: { mode: "setup", amountTotal: 0 } })
  })

  it("of a checkout from before sessions had a status counts as what its kind says", () => {
    const old = event("2024-06-20", "checkout.session.completed", session({ status: undefined }))
    expect(reported(old)).toMatchObject({ session: { isPaid: true } })
  })

  it("of a charge, a refund or a dispute names the payment", () => {
    const kind = (type: string, object: unknown) => reported(event("2026-10-28.endive", type, object))
    expect(kind("charge.refunded", charge())).toEqual({
      _tag: "Charge",
      charge: {
        id: "ch_1",
        paymentId: "pi_1",
        customerId: "cus_1",
        amount: 2_000,
        amountRefunded: 500,
        currency: "usd"
      }
    })
    expect(kind("refund.failed", refund())).toEqual({ _tag: "Refund", chargeId: "ch_1" })
    expect(kind("refund.created", refund({ charge: null }))).toEqual({ _tag: "Other" })
    expect(kind("charge.dispute.created", dispute([-2_000]))).toEqual({
      _tag: "Dispute",
      dispute: {
        id: "dp_1",
        chargeId: "ch_1",
        paymentId: "pi_1",
        amount: 2_000,
        currency: "usd",
        funds: "withdrawn"
      }
    })
  })

  it.each([
    ["charge.dispute.created", [], "untouched"],
    ["charge.dispute.closed", [-2_000], "withdrawn"],
    ["charge.dispute.closed", [-2_000, 2_000], "reinstated"],
    ["charge.dispute.updated", [-2_000], "withdrawn"],
    ["charge.dispute.funds_withdrawn", [], "withdrawn"],
    ["charge.dispute.funds_reinstated", [-2_000], "reinstated"]
  ])("%s with moves %j tells that the funds are %s", (kind, moved, funds) => {
    expect(reported(event("2026-10-28.endive", kind, dispute(moved)))).toMatchObject({ dispute: { funds } })
  })

  it.each([
    // Given back at the rate of another day, less than was taken.
    ["charge.dispute.closed", "won", [-2_000, 1_950], "reinstated"],
    ["charge.dispute.updated", "under_review", [-2_000, 1_950], "reinstated"],
    ["charge.dispute.closed", "lost", [-2_000], "withdrawn"],
    // The earlier refund is returned, and the rest is lost.
    ["charge.dispute.closed", "lost", [-2_000, 500], "withdrawn"],
    ["charge.dispute.funds_reinstated", "lost", [-2_000, 500], "withdrawn"],
    // An inquiry that is over moved nothing.
    ["charge.dispute.closed", "lost", [], "untouched"],
    ["charge.dispute.closed", "warning_closed", [], "untouched"]
  ])("%s of a dispute that is %s, with moves %j, tells that the funds are %s", (kind, status, moved, funds) => {
    expect(reported(event("2026-10-28.endive", kind, dispute(moved, { status })))).toMatchObject({ dispute: { funds } })
  })

  it("of an invoice that belongs to no subscription says so, of either generation", () => {
    const old = invoice("2024-06-20", { subscription: null, subscription_details: null })
    const present = invoice("2026-10-28.endive", { parent: null })
    for (const paid of [old, present]) {
      const read = reported(event("2026-10-28.endive", "invoice.paid", paid))
      expect(read).toMatchObject({ invoice: { subscriptionId: undefined, userId: undefined } })
    }
  })

  it("of an older version that has the new fields beside the old ones is read by the new ones", () => {
    const present = invoice("2025-03-31.basil")
    const [line] = present.lines.data
    const lines = { ...present.lines, data: [{ ...line, proration: true, subscription: "sub_0", price: "price_0" }] }
    const both = { ...invoice("2024-06-20"), ...present, lines, subscription: "sub_0" }
    expect(reported(event("2024-06-20", "invoice.paid", both))).toEqual({ _tag: "InvoicePaid", invoice: readInvoice })
  })

  it("from before invoices had their subscription's metadata names the person of its line", () => {
    const old = invoice("2024-06-20", { subscription_details: undefined })
    expect(reported(event("2024-06-20", "invoice.paid", old))).toMatchObject({ invoice: { userId: "ann" } })
  })

  it("that brings only the first lines of its invoice says so", () => {
    const cut = invoice("2026-10-28.endive")
    const text = JSON.stringify(
      event("2026-10-28.endive", "invoice.paid", { ...cut, lines: { ...cut.lines, has_more: true } })
    )
    expect(parseStripeEvent(text).event).toMatchObject({ invoice: { id: "in_1", isCut: true } })
  })

  it("of another account is foreign; of tests in a live system and the other way round, of the other mode", () => {
    const paid = event("2026-10-28.endive", "invoice.paid", invoice("2026-10-28.endive"))
    expect(reported({ ...paid, account: "acct_1" })).toEqual({ _tag: "Foreign" })
    expect(reported(paid, true)).toEqual({ _tag: "OtherMode" })
    expect(reported({ ...paid, livemode: true }, false)).toEqual({ _tag: "OtherMode" })
    expect(reported({ ...paid, livemode: true }, true)).toMatchObject({ _tag: "InvoicePaid" })
  })

  it.each(["product.created", "invoice.payment_succeeded", "invoice.upcoming", "toString", "__proto__"])(
    "of the kind %s is nothing that credits depend on",
    (kind) => {
      expect(reported(event("2026-10-28.endive", kind, { id: "x" }))).toEqual({ _tag: "Other" })
    }
  )
})

describe("an event in a form that is not known is refused by name, and says where", () => {
  const now = "2026-10-28.endive"
  const old = "2024-06-20"
  const line = (more: object) => {
    const whole = invoice(now)
    return invoice(now, { lines: { ...whole.lines, data: [{ ...whole.lines.data[0], ...more }] } })
  }
  it.each([
    ["invoice.paid", invoice(now, { parent: undefined }), "invoice.parent: missing"],
    ["invoice.paid", invoice(now, { parent: { type: "contract_details" } }), "invoice.parent.type: not a known word"],
    [
      "invoice.paid",
      invoice(now, { billing_reason: "subscription_moved" }),
      "invoice.billing_reason: not a known word"
    ],
    ["invoice.paid", invoice(now, { amount_paid: "2000" }), "invoice.amount_paid: not a whole number"],
    ["invoice.paid", invoice(now, { lines: undefined }), "invoice.lines: not an object"],
    ["invoice.paid", line({ parent: null }), "invoice.lines.data[0].proration: not a yes or no"],
    ["invoice.paid", line({ period: { start: 0, end: 1 } }), "invoice.lines.data[0].period.start: not a time"],
    ["invoice.paid", invoice(old, { subscription: undefined }), "invoice.parent: missing"],
    [
      "customer.subscription.updated",
      subscription(now, { status: "resting" }),
      "subscription.status: not a known word"
    ],
    [
      "customer.subscription.updated",
      subscription(old, { current_period_start: null, current_period_end: null }),
      "subscription.items.data[0].current_period_start: missing"
    ],
    [
      "customer.subscription.updated",
      subscription(now, { items: { object: "list", has_more: true, data: [] } }),
      "subscription.items.has_more: more items than are given"
    ],
    ["customer.subscription.updated", subscription(now, { customer: null }), "subscription.customer: missing"],
    ["checkout.session.completed", session({ payment_status: "maybe" }), "session.payment_status: not a known word"],
    ["checkout.session.completed", session({ mode: "donation" }), "session.mode: not a known word"],
    ["checkout.session.completed", session({ amount_total: 20.5 }), "session.amount_total: not a whole number"],
    ["charge.refunded", charge({ amount_refunded: null }), "charge.amount_refunded: missing"],
    ["charge.refunded", charge({ currency: "dollars" }), "charge.currency: not a currency"],
    ["charge.dispute.closed", dispute([], { balance_transactions: null }), "dispute.balance_transactions: not a list"]
  ])("%s: %#", (kind, object, problem) => {
    expect(reported(event(now, kind, object))).toMatchObject({ _tag: "Unreadable", problem })
  })

  it.each([
    ["invoice.paid", invoice(now, { currency: 7 }), { customerId: "cus_1", subscriptionId: "sub_1", userId: "ann" }],
    ["invoice.paid", invoice(old, { currency: 7 }), { customerId: "cus_1", subscriptionId: "sub_1" }],
    ["customer.subscription.updated", subscription(now, { status: 7 }), { subscriptionId: "sub_1", userId: "ann" }],
    ["checkout.session.completed", session({ mode: 7, payment_intent: "pi_1" }), { paymentId: "pi_1", userId: "ann" }],
    ["charge.refunded", charge({ amount: [], customer: { id: "cus_2" } }), { customerId: "cus_2", paymentId: "pi_1" }],
    ["charge.dispute.closed", dispute([], { amount: {}, payment_intent: { x: 1 } }), { paymentId: undefined }]
  ])("%s names whom it is about all the same: %#", (kind, object, subject) => {
    expect(reported(event(now, kind, object))).toMatchObject({ _tag: "Unreadable", subject })
  })

  it("is not so for lines of an invoice that pay for no part of a subscription: they are left out", () => {
    const whole = invoice(now)
    const strange = { id: "il_2", parent: { type: "of_tomorrow" } }
    const mixed = invoice(now, { lines: { ...whole.lines, data: [strange, ...whole.lines.data] } })
    expect(reported(event(now, "invoice.paid", mixed))).toEqual(reported(event(now, "invoice.paid", whole)))
  })

  it.each([
    ["not JSON", "event: not JSON"],
    ["[]", "event: not an object"],
    ["null", "event: not an object"],
    ['{"object":"v2.core.event","id":"evt_1"}', "event.object: not an event"],
    ['{"object":"event","id":"evt_1"}', "event.type: missing"]
  ])("%s is no event at all", (text, problem) => {
    expect(() => parseStripeEvent(text)).toThrow(problem)
  })

  it("with any value in any place it is read, named unreadable or refused, and nothing else is thrown", () => {
    const whole: ReadonlyArray<readonly [string, object]> = [
      ["invoice.paid", invoice(now)],
      ["invoice.paid", invoice(old)],
      ["customer.subscription.updated", subscription(now)],
      ["checkout.session.completed", session()],
      ["charge.dispute.closed", dispute([-1])]
    ]
    const damage = (value: unknown, way: ReadonlyArray<number>, put: unknown): unknown => {
      if (typeof value !== "object" || value === null || way.length === 0) return put
      const keys = Object.keys(value)
      const key = keys[(way[0] ?? 0) % Math.max(1, keys.length)]
      if (key === undefined) return put
      const inner = damage((value as Record<string, unknown>)[key], way.slice(1), put)
      return Array.isArray(value)
        ? value.map((old, index) => (String(index) === key ? inner : old))
        : { ...value, [key]: inner }
    }
    fc.assert(
      fc.property(
        fc.constantFrom(...whole),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
        fc.jsonValue(),
        ([kind, object], way, put) => {
          const read = reported(event(now, kind, damage(object, way, put)))
          expect(["Unreadable", "InvoicePaid", "Subscription", "Checkout", "Dispute"]).toContain(read._tag)
        }
      ),
      { numRuns: 500 }
    )
  })
})
