/** Stripe's forms of the same object, before and since its version of 2025-03-31. */

const JANUARY = 1_767_225_600
const FEBRUARY = 1_769_904_000
export const SECONDS = { january: JANUARY, february: FEBRUARY }

export const generations = ["2024-06-20", "2025-03-31.basil", "2026-10-28.endive"] as const
export type Generation = (typeof generations)[number]

const isOld = (generation: Generation): boolean => generation === "2024-06-20"

const metadata = { parley_user: "ann", parley_price: "price_pro" }

export const event = (generation: Generation, type: string, object: unknown, more: object = {}) => ({
  id: "evt_1",
  object: "event",
  api_version: generation,
  created: JANUARY,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
  ...more
})

export const session = (more: object = {}) => ({
  id: "cs_1",
  object: "checkout.session",
  mode: "subscription",
  status: "complete",
  payment_status: "paid",
  customer: "cus_1",
  client_reference_id: "ann",
  metadata,
  subscription: "sub_1",
  payment_intent: null,
  amount_total: 2_000,
  currency: "usd",
  created: JANUARY,
  ...more
})

const period = { start: JANUARY, end: FEBRUARY }

const oldLine = (isProration: boolean) => ({
  id: "il_1",
  object: "line_item",
  type: isProration ? "invoiceitem" : "subscription",
  amount: 2_000,
  currency: "usd",
  description: "1 x Pro",
  metadata,
  period,
  plan: { id: "price_pro", object: "plan" },
  price: { id: "price_pro", object: "price" },
  proration: isProration,
  quantity: 1,
  subscription: "sub_1",
  subscription_item: "si_1"
})

const newLine = (isProration: boolean) => {
  const details = { invoice_item: null, proration: isProration, subscription: "sub_1", subscription_item: "si_1" }
  const type = isProration ? "invoice_item_details" : "subscription_item_details"
  return {
    id: "il_1",
    object: "line_item",
    amount: 2_000,
    currency: "usd",
    description: "1 x Pro",
    metadata: {},
    period,
    quantity: 1,
    parent: { type, subscription_item_details: null, invoice_item_details: null, [type]: details },
    pricing: {
      type: "price_details",
      price_details: { price: "price_pro", product: "prod_1" },
      unit_amount_decimal: "2000"
    }
  }
}

export const invoice = (generation: Generation, more: object = {}, prorations: ReadonlyArray<boolean> = [false]) => ({
  id: "in_1",
  object: "invoice",
  amount_paid: 2_000,
  total: 2_000,
  billing_reason: "subscription_cycle",
  created: JANUARY,
  currency: "usd",
  customer: "cus_1",
  description: null,
  hosted_invoice_url: "https://invoice.stripe.com/i/1",
  status: "paid",
  // The period before the one that is paid: no rule may take it for that one.
  period_start: JANUARY - 2_678_400,
  period_end: JANUARY,
  lines: {
    object: "list",
    has_more: false,
    url: "/v1/invoices/in_1/lines",
    data: isOld(generation) ? prorations.map(oldLine) : prorations.map(newLine)
  },
  ...(isOld(generation)
    ? { subscription: "sub_1", subscription_details: { metadata }, paid: true, payment_intent: "pi_1" }
    : {
        parent: {
          type: "subscription_details",
          quote_details: null,
          subscription_details: { metadata, subscription: "sub_1" }
        }
      }),
  ...more
})

export const subscription = (generation: Generation, more: object = {}) => {
  const periods = { current_period_start: JANUARY, current_period_end: FEBRUARY }
  return {
    id: "sub_1",
    object: "subscription",
    status: "active",
    customer: "cus_1",
    metadata,
    start_date: JANUARY,
    created: JANUARY,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    items: {
      object: "list",
      has_more: false,
      data: [
        {
          id: "si_1",
          object: "subscription_item",
          price: { id: "price_pro", object: "price" },
          ...(isOld(generation) ? {} : periods)
        }
      ]
    },
    ...(isOld(generation) ? periods : {}),
    ...more
  }
}

export const charge = (more: object = {}) => ({
  id: "ch_1",
  object: "charge",
  amount: 2_000,
  amount_refunded: 500,
  currency: "usd",
  customer: "cus_1",
  payment_intent: "pi_1",
  ...more
})

export const refund = (more: object = {}) => ({ id: "re_1", object: "refund", amount: 500, charge: "ch_1", ...more })

export const dispute = (moved: ReadonlyArray<number>, more: object = {}) => ({
  id: "dp_1",
  object: "dispute",
  amount: 2_000,
  currency: "usd",
  charge: "ch_1",
  payment_intent: "pi_1",
  status: "needs_response",
  balance_transactions: moved.map((amount, index) => ({ id: `txn_${index}`, amount, currency: "usd" })),
  ...more
})
