import type { PaidInvoice, PaymentSubscription, SubscriptionStatus } from "./provider/PaymentEvent.ts"

/** A price that a subscription had at a time while it was in good standing. Times in Unix milliseconds. */
export interface SeenPrice {
  readonly priceId: string
  /** The start of the period in which it had this price. */
  readonly periodStart: number
  readonly periodEnd: number
  readonly at: number
}

/** The newest report of a subscription as a whole. */
export interface SubscriptionReport {
  readonly at: number
  readonly status: SubscriptionStatus
  readonly priceId: string | undefined
  readonly periodStart: number
  /** The planned end of the subscription; undefined if no end is planned. */
  readonly endsAt: number | undefined
}

/** The payment of a period. */
export interface PeriodPayment {
  readonly invoiceId: string
  /** The paid amount in the smallest unit of the currency. */
  readonly amount: number
  readonly currency: string
  /** Unix milliseconds: the time at which the invoice was reported as paid. */
  readonly paidAt: number
}

/** A period of a subscription that was paid for. */
export interface PaidPeriod {
  readonly start: number
  readonly end: number
  readonly priceId: string
  /** True for the first period of a subscription, which its checkout also represents. */
  readonly isFirst: boolean
  /** Undefined as long as only the checkout of the period is known. */
  readonly payment: PeriodPayment | undefined
}

/** A change to another price within a period, which an invoice paid for. */
export interface PaidChange {
  readonly priceId: string
  /** The time of the change. */
  readonly at: number
  /** The end of the period for which the change was paid. */
  readonly end: number
  readonly payment: PeriodPayment
}

/**
 * The facts of a subscription. Each part grows in an order of its own: the newest report, the latest period, the set of
 * prices. So the same reports result in the same facts, in any order and any number.
 */
export interface SubscriptionFacts {
  readonly id: string
  readonly startedAt: number | undefined
  readonly latest: SubscriptionReport | undefined
  /** The prices in the period paid for last and in later periods; sorted. */
  readonly seen: ReadonlyArray<SeenPrice>
  /** The paid checkout: its time, and its price. */
  readonly checkout: { readonly at: number; readonly priceId: string } | undefined
  readonly paid: PaidPeriod | undefined
  /** The earlier paid periods, as long as their payments can be disputed; sorted. */
  readonly earlier: ReadonlyArray<PaidPeriod>
  /** The paid changes within these periods and later ones; sorted. */
  readonly changes: ReadonlyArray<PaidChange>
  /** Unix milliseconds: the time at which the subscription ended for good; later reports do not change it. */
  readonly endedAt: number | undefined
}

const DAY_MS = 86_400_000

/**
 * Returns true if a change was paid for within a period. A change that ends earlier or later belongs to another period:
 * for example to the month after a year whose rest was credited, or to the period after a trial, whose own invoice has not
 * been reported yet. It buys nothing for this period, because that period's invoice would grant it again. The
 * tolerance of one day is for a period that is known only from its checkout, so that its end is an estimate. The
 * estimated end can be near the end of a period that began later; a change then belongs to that period if the reported
 * end of the period equals the end of the change.
 */
export const isWithin = (
  { seen }: SubscriptionFacts,
  { at, end }: PaidChange,
  period: Pick<PaidPeriod, "start" | "end">
): boolean =>
  at >= period.start &&
  at < period.end &&
  Math.abs(end - period.end) < DAY_MS &&
  !seen.some(({ periodEnd, periodStart }) => periodStart > period.start && periodStart <= at && periodEnd === end)

/** The facts of a subscription about which nothing has been reported. */
export const noFacts = (id: string): SubscriptionFacts => ({
  id,
  startedAt: undefined,
  latest: undefined,
  seen: [],
  checkout: undefined,
  paid: undefined,
  earlier: [],
  changes: [],
  endedAt: undefined
})

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/**
 * The order of reports of the same second: subscriptions start and recover within a second more often than they fall
 * behind.
 */
const STATUS_RANK: Readonly<Record<SubscriptionStatus, number>> = {
  incomplete: 0,
  paused: 1,
  unpaid: 2,
  "past-due": 3,
  trialing: 4,
  active: 5,
  ended: 6
}

const compareText = (a = "", b = "") => (a < b ? -1 : a > b ? 1 : 0)

/** Orders reports by time, and within a second by their content, so that every process finds the same newest report. */
const compareReports = (a: SubscriptionReport, b: SubscriptionReport): number =>
  a.at - b.at ||
  a.periodStart - b.periodStart ||
  STATUS_RANK[a.status] - STATUS_RANK[b.status] ||
  compareText(a.priceId, b.priceId) ||
  (a.endsAt ?? 0) - (b.endsAt ?? 0)

const comparePaid = (a: PaidPeriod, b: PaidPeriod): number =>
  a.start - b.start ||
  a.end - b.end ||
  +a.isFirst - +b.isFirst ||
  compareText(a.priceId, b.priceId) ||
  compareText(a.payment?.invoiceId, b.payment?.invoiceId)

const later = <A>(a: A | undefined, b: A | undefined, compare: (a: A, b: A) => number): A | undefined =>
  a === undefined || b === undefined ? (a ?? b) : compare(a, b) >= 0 ? a : b

const compareSeen = (a: SeenPrice, b: SeenPrice): number =>
  a.at - b.at || a.periodStart - b.periodStart || a.periodEnd - b.periodEnd || compareText(a.priceId, b.priceId)

/** The retention of paid periods: 400 days, because direct debits can be disputed for thirteen months. */
const KEPT_MS = 400 * 86_400_000

const compareChanges = (a: PaidChange, b: PaidChange): number =>
  a.at - b.at ||
  a.end - b.end ||
  compareText(a.payment.invoiceId, b.payment.invoiceId) ||
  compareText(a.priceId, b.priceId)

/** Sorts items and removes duplicates. */
const sortedOnce = <A>(all: ReadonlyArray<A>, compare: (a: A, b: A) => number): ReadonlyArray<A> =>
  all.toSorted(compare).filter((one, index, sorted) => index === 0 || compare(one, sorted[index - 1] as A) !== 0)

/** Removes prices of periods before the last paid period; they are no longer needed. */
const stillSeen = (seen: ReadonlyArray<SeenPrice>, paid: PaidPeriod | undefined): ReadonlyArray<SeenPrice> =>
  sortedOnce(seen, compareSeen).filter(({ periodStart }) => periodStart >= (paid?.start ?? -Infinity))

/** Merges the paid periods and changes of two sets of facts; `paid` is the last of the periods. */
const mergePaid = (a: SubscriptionFacts, b: SubscriptionFacts) => {
  const all = sortedOnce(
    [...a.earlier, ...b.earlier, ...[a.paid, b.paid].filter((one) => one !== undefined)],
    comparePaid
  )
  const paid = all.at(-1)
  const from = paid === undefined ? -Infinity : paid.start - KEPT_MS
  return {
    paid,
    earlier: all.slice(0, -1).filter(({ start }) => start >= from),
    changes: sortedOnce([...a.changes, ...b.changes], compareChanges).filter(({ at }) => at >= from)
  }
}

/** Merges the facts from two sets of reports. */
const mergeFacts = (a: SubscriptionFacts, b: SubscriptionFacts): SubscriptionFacts => {
  const { changes, earlier: before, paid } = mergePaid(a, b)
  return {
    id: a.id,
    startedAt: earlier(a.startedAt, b.startedAt),
    latest: later(a.latest, b.latest, compareReports),
    seen: stillSeen([...a.seen, ...b.seen], paid),
    checkout: later(
      a.checkout,
      b.checkout,
      (one, other) => other.at - one.at || compareText(one.priceId, other.priceId)
    ),
    paid,
    earlier: before,
    changes,
    endedAt: earlier(a.endedAt, b.endedAt)
  }
}

/** Returns true if a price is the price of a plan, and not another price within a subscription. */
export type IsPlan = (priceId: string) => boolean

const GOOD_STANDING: ReadonlySet<SubscriptionStatus> = new Set(["trialing", "active"])

/** Adds a report of the whole subscription, made at a time in Unix milliseconds. */
export const withReport = (
  facts: SubscriptionFacts,
  { endedAt, endsAt, items, startedAt, status }: PaymentSubscription,
  at: number,
  isPlan: IsPlan
): SubscriptionFacts => {
  const item = items.find(({ priceId }) => isPlan(priceId)) ?? items[0]
  const seen = item !== undefined && GOOD_STANDING.has(status) ? [{ ...item, at }] : []
  return mergeFacts(facts, {
    ...noFacts(facts.id),
    startedAt,
    latest: { at, status, priceId: item?.priceId, periodStart: item?.periodStart ?? startedAt, endsAt },
    seen,
    endedAt: status === "ended" ? (endedAt ?? at) : undefined
  })
}

/** Adds a paid checkout that was reported at a time in Unix milliseconds. */
export const withCheckout = (facts: SubscriptionFacts, priceId: string, at: number): SubscriptionFacts =>
  mergeFacts(facts, { ...noFacts(facts.id), checkout: { at, priceId } })

/**
 * Returns the lines of an invoice for the subscription itself: the lines for plans, or all lines if none is for a plan.
 */
const ownLines = ({ lines, subscriptionId }: PaidInvoice, isPlan: IsPlan) => {
  const own = lines.flatMap(({ priceId, ...line }) =>
    priceId !== undefined && (line.subscriptionId === undefined || line.subscriptionId === subscriptionId)
      ? [{ ...line, priceId }]
      : []
  )
  const ofPlans = own.filter(({ priceId }) => isPlan(priceId))
  return ofPlans.length > 0 ? ofPlans : own
}

/**
 * Returns the lines of an invoice that have consequences. One line is for a period; its dates are used, because the
 * dates of the invoice itself are those of the previous period. The other lines are for changes within a period: the
 * prorations that the invoice of a change charges. A change that costs nothing, for example within a trial, buys
 * nothing.
 */
export const paidLines = (invoice: PaidInvoice, isPlan: IsPlan) => {
  const own = ownLines(invoice, isPlan)
  const isChange = invoice.reason === "update"
  const period =
    invoice.reason === "other"
      ? undefined
      : own.find(({ amount, isProration }) => !isProration && (!isChange || amount > 0))
  const changes =
    isChange && invoice.amountPaid > 0 ? own.filter(({ amount, isProration }) => isProration && amount > 0) : []
  return { period, changes }
}

/**
 * Adds an invoice that was reported as paid at a time in Unix milliseconds. The facts stay unchanged if the invoice
 * pays neither for a period of the subscription nor for a change within a period.
 */
export const withInvoice = (
  facts: SubscriptionFacts,
  invoice: PaidInvoice,
  isPlan: IsPlan,
  paidAt = invoice.createdAt
): SubscriptionFacts => {
  const { changes, period } = paidLines(invoice, isPlan)
  const payment = { invoiceId: invoice.id, amount: invoice.amountPaid, currency: invoice.currency, paidAt }
  return mergeFacts(facts, {
    ...noFacts(facts.id),
    paid: period && {
      start: period.periodStart,
      end: period.periodEnd,
      priceId: period.priceId,
      isFirst: invoice.reason === "create",
      payment
    },
    changes: changes.map(({ periodEnd: end, periodStart: at, priceId }) => ({ priceId, at, end, payment }))
  })
}

/** Returns the facts without the payments that were reported at or after a time. */
export const paidBefore = (facts: SubscriptionFacts, at: number): SubscriptionFacts => {
  const isEarlier = ({ payment }: Pick<PaidPeriod, "payment">) => payment !== undefined && payment.paidAt < at
  const periods = [...facts.earlier, ...(facts.paid === undefined ? [] : [facts.paid])].filter(isEarlier)
  return {
    ...facts,
    checkout: facts.checkout !== undefined && facts.checkout.at < at ? facts.checkout : undefined,
    paid: periods.at(-1),
    earlier: periods.slice(0, -1),
    changes: facts.changes.filter(isEarlier)
  }
}

/** All payments that paid for periods of a subscription, or for changes within them. */
export const paymentsOf = ({
  changes,
  earlier,
  paid
}: Pick<SubscriptionFacts, "changes" | "earlier" | "paid">): ReadonlyArray<PeriodPayment> =>
  [...earlier, ...(paid === undefined ? [] : [paid]), ...changes].flatMap(({ payment }) => payment ?? [])

/** Returns the latest payment after the end of the subscription, which grants nothing; undefined if there is none. */
export const paidAfterEnd = ({ endedAt = Infinity, ...facts }: SubscriptionFacts) =>
  paymentsOf(facts)
    .filter(({ amount, paidAt }) => amount > 0 && paidAt > endedAt)
    .toSorted((a, b) => a.paidAt - b.paidAt)
    .at(-1)
