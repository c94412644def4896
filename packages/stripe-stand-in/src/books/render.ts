import type {
  Customer,
  Dispute,
  Invoice,
  Line,
  Payment,
  Refund,
  Session,
  StandInPrice,
  Subscription
} from "./StandInState.ts"

/** Finds the objects to which other objects refer. */
export interface References {
  price(id: string): StandInPrice
  payment(id: string): Payment
  /** Returns the invoice that a payment has paid. */
  invoiceOfPayment(id: string): Invoice | undefined
  /** Returns the address of a page of the stand-in. */
  pageUrl(path: string): string
}

/** The form in which objects are returned. `isOld` is true for the form before Stripe's version of 2025-03-31. */
export interface View {
  readonly books: References
  readonly isOld: boolean
}

const list = (url: string, data: ReadonlyArray<unknown>) => ({ object: "list", data, has_more: false, url })

export const renderPrice = ({ amount, currency, every, id, name }: StandInPrice) => ({
  id,
  object: "price",
  active: true,
  billing_scheme: "per_unit",
  created: 1_700_000_000,
  currency,
  livemode: false,
  metadata: {},
  nickname: name,
  product: `prod_${id}`,
  recurring: every === undefined ? null : { interval: every.unit, interval_count: every.count, usage_type: "licensed" },
  type: every === undefined ? "one_time" : "recurring",
  unit_amount: amount,
  unit_amount_decimal: String(amount)
})

export const renderCustomer = ({ created, email, id, metadata }: Customer) => ({
  id,
  object: "customer",
  balance: 0,
  created,
  email: email ?? null,
  livemode: false,
  metadata
})

export const renderItems = ({ id, price, quantity, total }: Session, { books }: View) => [
  {
    id: `li_${id.slice(8)}`,
    object: "item",
    amount_total: total,
    currency: books.price(price).currency,
    description: books.price(price).name,
    price: renderPrice(books.price(price)),
    quantity
  }
]

/** Returns a checkout session in Stripe's form; if `isExpanded`, with its line items. */
export const renderSession = (session: Session, view: View, isExpanded = false) => ({
  ...renderPage(session, view),
  ...(isExpanded
    ? { line_items: list(`/v1/checkout/sessions/${session.id}/line_items`, renderItems(session, view)) }
    : {})
})

const renderPage = (session: Session, { books }: View) => ({
  id: session.id,
  object: "checkout.session",
  amount_subtotal: books.price(session.price).amount * session.quantity,
  amount_total: session.total,
  cancel_url: session.cancelUrl,
  client_reference_id: session.reference ?? null,
  created: session.created,
  currency: books.price(session.price).currency,
  customer: session.customer,
  expires_at: session.created + 86_400,
  livemode: false,
  metadata: session.metadata,
  mode: session.mode,
  payment_intent: session.payment ?? null,
  payment_status: session.paymentStatus,
  status: session.status,
  subscription: session.subscription ?? null,
  success_url: session.successUrl,
  url: session.status === "open" ? books.pageUrl(`checkout/${session.id}`) : null
})

export const renderSubscription = (subscription: Subscription, { books, isOld }: View) => {
  const { cancelAtPeriodEnd, id, periodEnd, periodStart, status } = subscription
  const periods = { current_period_start: periodStart, current_period_end: periodEnd }
  const item = {
    id: `si_${id.slice(4)}`,
    object: "subscription_item",
    created: subscription.created,
    price: renderPrice(books.price(subscription.price)),
    quantity: subscription.quantity,
    subscription: id,
    ...(isOld ? {} : periods)
  }
  return {
    id,
    object: "subscription",
    billing_cycle_anchor: subscription.anchor,
    cancel_at: cancelAtPeriodEnd && status !== "canceled" ? periodEnd : null,
    cancel_at_period_end: cancelAtPeriodEnd,
    canceled_at: subscription.canceledAt ?? null,
    collection_method: "charge_automatically",
    created: subscription.created,
    currency: books.price(subscription.price).currency,
    customer: subscription.customer,
    ended_at: subscription.endedAt ?? null,
    items: list(`/v1/subscription_items?subscription=${id}`, [item]),
    livemode: false,
    metadata: subscription.metadata,
    start_date: subscription.created,
    status,
    ...(isOld ? periods : {})
  }
}

const renderLine = (line: Line, invoice: Invoice, { books, isOld }: View) => {
  const price = books.price(line.price)
  const isItem = line.isProration || invoice.subscription === undefined
  const common = {
    id: line.id,
    object: "line_item",
    amount: line.amount,
    currency: invoice.currency,
    description: line.isProration ? `${price.name}, corrected for the rest of the period` : price.name,
    livemode: false,
    metadata: invoice.metadata,
    period: { start: line.start, end: line.end },
    quantity: invoice.quantity
  }
  if (isOld) {
    return {
      ...common,
      price: renderPrice(price),
      proration: line.isProration,
      subscription: invoice.subscription ?? null,
      type: isItem ? "invoiceitem" : "subscription"
    }
  }
  const type = isItem ? "invoice_item_details" : "subscription_item_details"
  const details = { proration: line.isProration, subscription: invoice.subscription ?? null }
  return {
    ...common,
    parent: { type, invoice_item_details: null, subscription_item_details: null, [type]: details },
    pricing: {
      type: "price_details",
      price_details: { price: price.id, product: `prod_${price.id}` },
      unit_amount_decimal: String(price.amount)
    }
  }
}

export const renderLines = (invoice: Invoice, view: View) =>
  invoice.lines.map((line) => renderLine(line, invoice, view))

/** Returns the fields of an invoice about its subscription, in the form of either generation. */
const originOf = ({ metadata, payment, subscription }: Invoice, isOld: boolean) => {
  const paid = isOld ? { payment_intent: payment ?? null, paid: payment !== undefined } : {}
  if (subscription === undefined) return isOld ? { ...paid, subscription: null } : { parent: null }
  return isOld
    ? { ...paid, subscription, subscription_details: { metadata } }
    : {
        parent: { type: "subscription_details", quote_details: null, subscription_details: { metadata, subscription } }
      }
}

/**
 * Returns the period of an invoice. For a renewal, Stripe's `period_start` is the beginning of the period before the
 * one for which its lines are.
 */
const periodOf = ({ created, lines, reason }: Invoice) => {
  const [line] = lines
  if (reason !== "subscription_cycle" || line === undefined) return { period_start: created, period_end: created }
  return { period_start: line.start - (line.end - line.start), period_end: line.start }
}

export const renderInvoice = (invoice: Invoice, view: View) => ({
  id: invoice.id,
  object: "invoice",
  amount_due: Math.max(0, invoice.total),
  amount_paid: invoice.paid,
  attempt_count: invoice.attempts,
  billing_reason: invoice.reason,
  created: invoice.created,
  currency: invoice.currency,
  customer: invoice.customer,
  description: null,
  hosted_invoice_url: view.books.pageUrl(`invoices/${invoice.id}`),
  lines: list(`/v1/invoices/${invoice.id}/lines`, renderLines(invoice, view)),
  livemode: false,
  metadata: {},
  next_payment_attempt: invoice.nextAttempt ?? null,
  number: invoice.id.slice(-8).toUpperCase(),
  ...periodOf(invoice),
  status: invoice.status,
  subtotal: invoice.total,
  total: invoice.total,
  ...originOf(invoice, view.isOld)
})

/** Returns the payment of an invoice in Stripe's form; if `isExpanded`, with the invoice itself. */
export const renderInvoicePayment = (invoice: Invoice, view: View, isExpanded: boolean) => {
  const { created, currency, id, paid, payment } = invoice
  return {
    id: `inpay_${id.slice(3)}`,
    object: "invoice_payment",
    amount_paid: paid,
    amount_requested: paid,
    created,
    currency,
    invoice: isExpanded ? renderInvoice(invoice, view) : id,
    is_default: true,
    livemode: false,
    payment: { type: "payment_intent", payment_intent: payment ?? null },
    status: "paid"
  }
}

export const renderCharge = (payment: Payment, { books, isOld }: View) => ({
  id: payment.charge,
  object: "charge",
  amount: payment.amount,
  amount_captured: payment.amount,
  amount_refunded: payment.refunded,
  captured: true,
  created: payment.created,
  currency: payment.currency,
  customer: payment.customer,
  livemode: false,
  metadata: payment.metadata,
  paid: true,
  payment_intent: payment.id,
  refunded: payment.refunded === payment.amount,
  status: "succeeded",
  ...(isOld ? { invoice: books.invoiceOfPayment(payment.id)?.id ?? null } : {})
})

export const renderPayment = (payment: Payment) => ({
  id: payment.id,
  object: "payment_intent",
  amount: payment.amount,
  amount_received: payment.amount,
  created: payment.created,
  currency: payment.currency,
  customer: payment.customer,
  latest_charge: payment.charge,
  livemode: false,
  metadata: payment.metadata,
  status: "succeeded"
})

export const renderRefund = (refund: Refund, { books }: View) => {
  const payment = books.payment(refund.payment)
  return {
    id: refund.id,
    object: "refund",
    amount: refund.amount,
    charge: payment.charge,
    created: refund.created,
    currency: payment.currency,
    metadata: {},
    payment_intent: payment.id,
    status: "succeeded"
  }
}

export const renderDispute = (dispute: Dispute, { books }: View) => {
  const payment = books.payment(dispute.payment)
  return {
    id: dispute.id,
    object: "dispute",
    amount: dispute.amount,
    balance_transactions: dispute.moves.map((amount, index) => ({
      id: `txn_${dispute.id}_${index}`,
      object: "balance_transaction",
      amount,
      currency: payment.currency
    })),
    charge: payment.charge,
    created: dispute.created,
    currency: payment.currency,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: payment.id,
    reason: "fraudulent",
    status: dispute.status
  }
}
