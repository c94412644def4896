import { days, periodAfter } from "./calendar.ts"
import { collect, makeInvoice, settleFirst, willPay } from "./invoices.ts"
import type { PayOptions } from "./PayOptions.ts"
import { type StandInBooks, StandInRefusal } from "./StandInBooks.ts"
import type { Card, Session, StandInPrice, Subscription } from "./StandInState.ts"

const everyOf = ({ every, id }: StandInPrice): NonNullable<StandInPrice["every"]> => {
  if (every === undefined) throw new StandInRefusal(`The price ${id} is no subscription.`)
  return every
}

/** Creates a subscription that a checkout page has paid for, with its first invoice. */
export const beginSubscription = (books: StandInBooks, session: Session, options: PayOptions): Subscription => {
  const { card = "works", isFree = false, trialDays = 0 } = options
  const now = books.now()
  const price = books.price(session.price)
  const anchor = now + days(trialDays)
  const subscription: Subscription = {
    id: books.newId("sub"),
    customer: session.customer,
    metadata: session.innerMetadata,
    created: now,
    isFree,
    quantity: session.quantity,
    price: price.id,
    status: trialDays > 0 ? "trialing" : "active",
    anchor,
    periods: trialDays > 0 ? 0 : 1,
    periodStart: now,
    periodEnd: trialDays > 0 ? anchor : periodAfter(anchor, everyOf(price), 1),
    cancelAtPeriodEnd: false,
    card
  }
  books.state.subscriptions[subscription.id] = subscription
  books.emit("customer.subscription.created", { subscription })
  const { periodEnd, periodStart } = subscription
  const amount = trialDays > 0 ? 0 : price.amount
  const line = { price: price.id, amount, start: periodStart, end: periodEnd, isProration: false }
  settleFirst(books, makeInvoice(books, subscription, "subscription_create", [line]))
  return subscription
}

const end = (books: StandInBooks, subscription: Subscription): void => {
  subscription.status = "canceled"
  subscription.endedAt = books.now()
  subscription.canceledAt ??= books.now()
  books.emit("customer.subscription.deleted", { subscription })
}

/**
 * Ends a period of a subscription: the next one begins and is charged, or the subscription ends if that was decided.
 */
export const renew = (books: StandInBooks, subscription: Subscription): void => {
  if (subscription.cancelAtPeriodEnd) return end(books, subscription)
  const price = books.price(subscription.price)
  subscription.periods += 1
  subscription.periodStart = subscription.periodEnd
  subscription.periodEnd = periodAfter(subscription.anchor, everyOf(price), subscription.periods)
  if (subscription.status === "trialing") subscription.status = "active"
  const { periodEnd, periodStart } = subscription
  const line = { price: price.id, amount: price.amount, start: periodStart, end: periodEnd, isProration: false }
  const invoice = makeInvoice(books, subscription, "subscription_cycle", [line])
  // In the stand-in, a failing card is charged at the moment of the renewal. One event reports both, because two events
  // would have no order.
  if (willPay(subscription, invoice) || subscription.status === "past_due") {
    books.emit("customer.subscription.updated", { subscription })
  }
  collect(books, subscription, invoice)
}

const running = (books: StandInBooks, id: string): Subscription => {
  const subscription = books.subscription(id)
  if (subscription.status === "canceled") throw new StandInRefusal("This subscription has ended.")
  return subscription
}

/** Ends a subscription at the end of its period, or at once. */
export const cancel = (books: StandInBooks, id: string, when: "period-end" | "now"): void => {
  const subscription = running(books, id)
  subscription.canceledAt = books.now()
  if (when === "now") return end(books, subscription)
  subscription.cancelAtPeriodEnd = true
  books.emit("customer.subscription.updated", { subscription })
}

/** Cancels the decision that a subscription ends at the end of its period. */
export const resume = (books: StandInBooks, id: string): void => {
  const subscription = running(books, id)
  subscription.cancelAtPeriodEnd = false
  delete subscription.canceledAt
  books.emit("customer.subscription.updated", { subscription })
}

/** Sets the result of later charges to the card of a subscription. */
export const setCard = (books: StandInBooks, id: string, card: Card): void => {
  running(books, id).card = card
}

/**
 * Changes the plan at once. If the interval stays the same, the rest of the period is credited and charged; another
 * interval begins a new period. A credit that exceeds the charge is not paid out.
 */
export const changePlan = (books: StandInBooks, id: string, priceId: string): void => {
  const subscription = running(books, id)
  const before = books.price(subscription.price)
  const price = books.knownPrice(priceId)
  if (price?.every === undefined || priceId === before.id || price.currency !== before.currency) {
    throw new StandInRefusal("The subscription cannot change to this price.")
  }
  subscription.price = priceId
  if (subscription.status === "trialing") return books.emit("customer.subscription.updated", { subscription })
  const now = books.now()
  const { periodEnd, periodStart } = subscription
  const rest = (periodEnd - now) / (periodEnd - periodStart)
  const unused = {
    price: before.id,
    amount: -Math.round(before.amount * rest),
    start: now,
    end: periodEnd,
    isProration: true
  }
  const keepsPeriod = before.every?.unit === price.every.unit && before.every.count === price.every.count
  if (!keepsPeriod) {
    subscription.anchor = now
    subscription.periods = 1
    subscription.periodStart = now
    subscription.periodEnd = periodAfter(now, price.every, 1)
  }
  const charged = keepsPeriod
    ? { price: priceId, amount: Math.round(price.amount * rest), start: now, end: periodEnd, isProration: true }
    : { price: priceId, amount: price.amount, start: now, end: subscription.periodEnd, isProration: false }
  const invoice = makeInvoice(books, subscription, "subscription_update", [unused, charged])
  books.emit("customer.subscription.updated", { subscription })
  collect(books, subscription, invoice)
}
