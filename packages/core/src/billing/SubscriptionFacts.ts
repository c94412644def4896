import type { PaidInvoice, PaymentSubscription, SubscriptionStatus } from "./provider/PaymentEvent.ts"

/** A price that a subscription had at a moment, while it was in good standing. Times in Unix milliseconds. */
export interface SeenPrice {
  readonly priceId: string
  /** The period it had it in. */
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
  /** The time of its end, if the end is decided. */
  readonly endsAt: number | undefined
}

/** The payment of a period. */
export interface PeriodPayment {
  readonly invoiceId: string
  /** In the smallest unit of the currency. */
  readonly amount: number
  readonly currency: string
  /** The time at which the invoice was reported as paid, in Unix milliseconds. */
  readonly paidAt: number
}

/** A period that is paid for. */
export interface PaidPeriod {
  readonly start: number
  readonly end: number
  readonly priceId: string
  /** The subscription's first, which its checkout stands for as well. */
  readonly isFirst: boolean
  /** Undefined as long as its checkout alone is known. */
  readonly payment: PeriodPayment | undefined
}

/** A price that a subscription was changed to within a period, as the invoice of the change paid for it. */
export interface PaidChange {
  readonly priceId: string
  /** When the subscription was changed. */
  readonly at: number
  /** The end of the period that the change was paid for. */
  readonly end: number
  readonly payment: PeriodPayment
}

/**
 * The facts of a subscription. Each part grows in its own order (the newest report, the latest period, the set of prices).
 * So the same reports make the same facts, in any order and any number.
 */
export interface SubscriptionFacts {
  readonly id: string
  readonly startedAt: number | undefined
  readonly latest: SubscriptionReport | undefined
  /** The period paid for last and later ones; sorted. */
  readonly seen: ReadonlyArray<SeenPrice>
  /** The checkout that was paid. */
  readonly checkout: { readonly at: number; readonly priceId: string } | undefined
  readonly paid: PaidPeriod | undefined
  /** The periods paid for before, as long as their payments may be disputed; sorted. */
  readonly earlier: ReadonlyArray<PaidPeriod>
  /** Within these periods, and later ones; sorted. */
  readonly changes: ReadonlyArray<PaidChange>
  /** It has ended for good; later reports do not change that. */
  readonly endedAt: number | undefined
}

const DAY_MS = 86_400_000

/**
 * Tells whether a change was paid for within a period. A change that ends earlier belongs to another period, for
 * example to the month after a year whose rest was credited, and buys nothing for the months of the year. The tolerance
 * of one day is for a period that is known only from its checkout, whose end is an estimate. That estimate can be near the
 * end of a period that began later: a change belongs to the reported period with its own end.
 */
export const isWithin = (
  { seen }: SubscriptionFacts,
  { at, end }: PaidChange,
  period: Pick<PaidPeriod, "start" | "end">
): boolean =>
  at >= period.start &&
  at < period.end &&
  end > period.end - DAY_MS &&
  !seen.some(({ periodEnd, periodStart }) => periodStart > period.start && periodStart <= at && periodEnd === end)

/** Nothing is known of this subscription. */
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

/** Reports of one second: a subscription comes into being and recovers within it more often than it falls behind. */
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

/** The order of reports: by time, and within a second by their content, so that every process finds the same newest one. */
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

/** Retention of paid periods: direct debits can be disputed for thirteen months. */
const KEPT_MS = 400 * 86_400_000

const compareChanges = (a: PaidChange, b: PaidChange): number =>
  a.at - b.at ||
  a.end - b.end ||
  compareText(a.payment.invoiceId, b.payment.invoiceId) ||
  compareText(a.priceId, b.priceId)

/** Each once, in their order. */
const sortedOnce = <A>(all: ReadonlyArray<A>, compare: (a: A, b: A) => number): ReadonlyArray<A> =>
  all.toSorted(compare).filter((one, index, sorted) => index === 0 || compare(one, sorted[index - 1] as A) !== 0)

/** Prices of periods that are over explain nothing any more. */
const stillSeen = (seen: ReadonlyArray<SeenPrice>, paid: PaidPeriod | undefined): ReadonlyArray<SeenPrice> =>
  sortedOnce(seen, compareSeen).filter(({ periodStart }) => periodStart >= (paid?.start ?? -Infinity))

/** All that was paid for, and the last of it. */
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

/** The facts of two sets of reports together. */
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

/** True if a price is that of a plan, unlike other prices of a subscription. */
export type IsPlan = (priceId: string) => boolean

const GOOD_STANDING: ReadonlySet<SubscriptionStatus> = new Set(["trialing", "active"])

/** `facts` with a report of the whole subscription, made at a time in Unix milliseconds. */
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

/** `facts` with a checkout that was paid, reported at a time in Unix milliseconds. */
export const withCheckout = (facts: SubscriptionFacts, priceId: string, at: number): SubscriptionFacts =>
  mergeFacts(facts, { ...noFacts(facts.id), checkout: { at, priceId } })

/** The lines that an invoice has for the subscription itself: those of plans, or all if none is for a plan. */
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
 * The lines of an invoice that have consequences. One line is for a period: the invoice's own dates are those of the
 * period before. The others are for changes within a period: the prorations that the invoice of a change charges. A
 * change that costs nothing, for example within a trial, buys nothing.
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
 * `facts` with an invoice that was reported as paid at a time in Unix milliseconds; unchanged if the invoice pays neither for a
 * period of the subscription nor for a change within one.
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

/** The facts with only those payments that were reported before a moment. */
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

/** The latest payment after the end of the subscription, which grants nothing; undefined if there is none. */
export const paidAfterEnd = ({ endedAt = Infinity, ...facts }: SubscriptionFacts) =>
  paymentsOf(facts)
    .filter(({ amount, paidAt }) => amount > 0 && paidAt > endedAt)
    .toSorted((a, b) => a.paidAt - b.paidAt)
    .at(-1)
