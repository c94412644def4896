import { days } from "./calendar.ts"
import { takePayment } from "./payments.ts"
import { type StandInBooks, StandInRefusal } from "./StandInBooks.ts"
import type { Invoice, Line, Session, Subscription } from "./StandInState.ts"

/**
 * The days after the first failure at which a failed payment is tried again. After the last one, the subscription ends.
 */
const RETRY_DAYS = [3, 5, 7]

type NewLine = Omit<Line, "id">

export const makeInvoice = (
  books: StandInBooks,
  subscription: Subscription,
  reason: Invoice["reason"],
  lines: ReadonlyArray<NewLine>
): Invoice => {
  const id = books.newId("in")
  const charged = lines.map((line) => ({
    ...line,
    // A discount applies to the whole invoice; only for prorations is it included in the amount of the line.
    amount: subscription.isFree && line.isProration ? 0 : line.amount * subscription.quantity,
    id: books.newId("il")
  }))
  const invoice: Invoice = {
    id,
    customer: subscription.customer,
    subscription: subscription.id,
    metadata: subscription.metadata,
    reason,
    lines: charged,
    quantity: subscription.quantity,
    total: subscription.isFree ? 0 : charged.reduce((sum, { amount }) => sum + amount, 0),
    currency: books.price(subscription.price).currency,
    created: books.now(),
    status: "open",
    paid: 0,
    attempts: 0
  }
  books.state.invoices[id] = invoice
  return invoice
}

const settle = (books: StandInBooks, invoice: Invoice): void => {
  const { currency, customer, total } = invoice
  if (total > 0) invoice.payment = takePayment(books, { customer, metadata: {}, amount: total, currency }).id
  invoice.status = "paid"
  invoice.paid = Math.max(0, total)
  delete invoice.nextAttempt
}

const reportPaid = (books: StandInBooks, invoice: Invoice): void => {
  books.emit("invoice.paid", { invoice })
  books.emit("invoice.payment_succeeded", { invoice })
}

/** Creates the invoice of a one-time purchase, which is already paid. */
export const invoiceOfSale = (books: StandInBooks, session: Session): void => {
  const { customer, payment, price, total } = session
  const now = books.now()
  const id = books.newId("in")
  const line = { id: books.newId("il"), price, amount: total, start: now, end: now, isProration: false }
  const invoice: Invoice = {
    id,
    customer,
    subscription: undefined,
    metadata: {},
    reason: "manual",
    lines: [line],
    quantity: session.quantity,
    total,
    currency: books.price(price).currency,
    created: now,
    status: "paid",
    paid: total,
    attempts: 0,
    ...(payment === undefined ? {} : { payment })
  }
  books.state.invoices[id] = invoice
  reportPaid(books, invoice)
}

/** True if an invoice of the subscription is still open. */
const owesMore = (books: StandInBooks, { id }: Subscription): boolean =>
  Object.values(books.state.invoices).some(({ status, subscription }) => subscription === id && status === "open")

/** Ends a subscription whose invoice could not be collected. */
const giveUp = (books: StandInBooks, subscription: Subscription, invoice: Invoice): void => {
  invoice.status = "uncollectible"
  subscription.status = "canceled"
  subscription.canceledAt = books.now()
  subscription.endedAt = books.now()
  books.emit("customer.subscription.deleted", { subscription })
}

/** True if the subscription's card pays the invoice, or if there is nothing to pay. */
export const willPay = ({ card }: Subscription, { total }: Invoice): boolean => card === "works" || total <= 0

/**
 * Charges the subscription's card for an invoice. A failed payment is tried again; after the last failure the
 * subscription ends.
 */
export const collect = (books: StandInBooks, subscription: Subscription, invoice: Invoice): void => {
  invoice.attempts += 1
  if (willPay(subscription, invoice)) {
    settle(books, invoice)
    if (subscription.status === "past_due" && !owesMore(books, subscription)) {
      subscription.status = "active"
      books.emit("customer.subscription.updated", { subscription })
    }
    reportPaid(books, invoice)
    return
  }
  const retry = RETRY_DAYS[invoice.attempts - 1]
  if (retry === undefined) delete invoice.nextAttempt
  else invoice.nextAttempt = invoice.created + days(retry)
  books.emit("invoice.payment_failed", { invoice })
  if (retry === undefined) return giveUp(books, subscription, invoice)
  if (subscription.status === "past_due") return
  subscription.status = "past_due"
  books.emit("customer.subscription.updated", { subscription })
}

/** Marks the first invoice of a subscription as paid, because its checkout page has paid it. */
export const settleFirst = (books: StandInBooks, invoice: Invoice): void => {
  invoice.attempts = 1
  settle(books, invoice)
  reportPaid(books, invoice)
}

/** Pays an open invoice by hand. The card of the subscription works from then on. */
export const payInvoice = (books: StandInBooks, id: string): void => {
  const invoice = books.state.invoices[id]
  if (invoice?.subscription === undefined || invoice.status !== "open") {
    throw new StandInRefusal("This invoice is not open.")
  }
  const subscription = books.subscription(invoice.subscription)
  subscription.card = "works"
  collect(books, subscription, invoice)
}
