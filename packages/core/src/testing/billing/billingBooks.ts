import { periodStart } from "../../credits/rules/period.ts"
import type { SubscriptionStatus } from "../../billing/provider/PaymentEvent.ts"
import type { PlanPrice } from "./worldCatalog.ts"

/** The acts of a person and their bank, as tests generate them. `nth` selects one of the existing objects. */
export type BillingAct =
  | { readonly _tag: "subscribe"; readonly price: PlanPrice; readonly trialDays?: number }
  /** The next period of a subscription begins; its invoice is paid an hour later, or not at all. */
  | { readonly _tag: "renew"; readonly nth: number; readonly isPaid: boolean }
  /** A person pays an invoice that was not paid. */
  | { readonly _tag: "recover"; readonly nth: number }
  /** The plan is changed. The price difference of an upgrade is paid at once or, if `late`, a day later. */
  | {
      readonly _tag: "change"
      readonly nth: number
      readonly price: PlanPrice
      readonly payment?: "now" | "late" | "never"
    }
  | { readonly _tag: "cancel"; readonly nth: number }
  /** Credits are bought. `late`: the bank confirms the payment only later; `never`: it does not. */
  | { readonly _tag: "buy"; readonly payment: "now" | "late" | "never" }
  | { readonly _tag: "refund"; readonly nth: number; readonly part: number }
  | { readonly _tag: "dispute"; readonly nth: number; readonly isWon: boolean }
  /** Refunds the last period of a monthly plan. */
  | { readonly _tag: "refundPlan"; readonly nth: number; readonly part: number }
  | { readonly _tag: "disputePlan"; readonly nth: number; readonly isWon: boolean }

export const CREDITS = { price_pro: 1_000, price_pro_year: 1_000, price_business: 5_000 } as const
const CREDITS_OF_FREE = 100
const TIERS = { price_pro: "pro", price_pro_year: "pro", price_business: "business" } as const
export const TOPUP = { granted: 700, paid: 990 }

/** The price of each period of a plan. */
export const PLAN_PAID = 1_900

export const monthsOf = (price: PlanPrice): number => (price === "price_pro_year" ? 12 : 1)

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export interface WorldSubscription {
  readonly id: string
  readonly begun: number
  readonly trialDays: number
  /**
   * The length of the subscription's periods in months; below: the number of the first period of that length, and its
   * start.
   */
  months: number
  sinceNumber: number
  since: number
  price: PlanPrice
  status: SubscriptionStatus
  /** The number of the running period; `paidPeriod` is that of the last paid one. */
  period: number
  paidPeriod: number
  /** The price of the last paid period, followed by the more expensive prices that were paid for within it. */
  pricesOfPaid: Array<PlanPrice>
  /** The same for each paid period, with its months and its payment. */
  readonly allPaid: Array<PaidByStory & { readonly months: number }>
  ended: number | undefined
  /** The last paid invoice, and the part of its money that was returned. */
  payment: WorldPayment | undefined
}

/** The payment of a period, and the part of its money that was returned. */
export interface WorldPayment {
  readonly invoiceId: string
  refunded: number
  disputed: number
  isWon: boolean
}

/** A payment of a plan, with the prices that were paid for in the period. */
interface PaidByStory {
  readonly payment: WorldPayment | undefined
  readonly prices: Array<PlanPrice>
}

export interface WorldPurchase {
  readonly sessionId: string
  readonly paymentId: string
  refunded: number
  disputed: number
  isWon: boolean
}

/** The expected account at the end, computed directly from the story. */
export interface ExpectedAccount {
  readonly tier: string
  readonly allowance: number
  readonly topup: number
  readonly periodStart: number
  readonly nextResetAt: number
  readonly renewedBy: string
}

/** The beginning and the end of a period of a subscription: of the running period unless a number is given. */
export const boundsOf = (
  one: WorldSubscription,
  period = one.period
): { readonly start: number; readonly end: number } => {
  if (one.trialDays > 0 && period === 0) return { start: one.begun, end: one.begun + one.trialDays * DAY }
  const number = period - one.sinceNumber
  return {
    start: periodStart(one.since, number * one.months),
    end: periodStart(one.since, (number + 1) * one.months)
  }
}

/** The credits of a plan's payment that are taken back. */
const outOfPlan = ({ payment, prices: [price] }: PaidByStory): number => {
  if (payment === undefined || price === undefined) return 0
  const { disputed, isWon, refunded } = payment
  const bought = CREDITS[price]
  const parts = [refunded, isWon ? 0 : disputed].map((part) => Math.floor((bought * part) / PLAN_PAID))
  return Math.min(bought, (parts[0] ?? 0) + (parts[1] ?? 0))
}

/** The month that runs at a time: of the free periods since `anchor`, or of a paid year. */
const monthAt = (anchor: number, at: number): { readonly start: number; readonly end: number } => {
  let number = 0
  while (periodStart(anchor, number + 1) <= at) number += 1
  return { start: periodStart(anchor, number), end: periodStart(anchor, number + 1) }
}

/** The credits that are left of purchases after their refunds and disputes. */
const topupOf = (purchases: ReadonlyArray<WorldPurchase>): number => {
  let sum = 0
  for (const { disputed, isWon, refunded } of purchases) {
    const parts = [refunded, isWon ? 0 : disputed].map((part) => Math.floor((TOPUP.granted * part) / TOPUP.paid))
    sum += TOPUP.granted - Math.min(TOPUP.granted, (parts[0] ?? 0) + (parts[1] ?? 0))
  }
  return sum
}

/**
 * The maximum that may have been granted until `at` if the monthly job never runs: each period and each purchase once,
 * except refunded and disputed ones, and a free allowance at the end of each subscription.
 */
export const mostEver = (
  subscriptions: ReadonlyArray<WorldSubscription>,
  purchases: ReadonlyArray<WorldPurchase>,
  at: number
): number => {
  let sum = CREDITS_OF_FREE * (1 + subscriptions.length) + topupOf(purchases)
  for (const { allPaid, begun } of subscriptions) {
    const monthsUntil = Math.ceil((at - begun) / (28 * DAY)) + 1
    for (const { months, payment, prices } of allPaid) {
      const most = Math.max(...prices.map((price) => CREDITS[price]))
      sum += Math.min(months, monthsUntil) * (most - outOfPlan({ payment, prices }))
    }
  }
  return sum
}

/**
 * The expected account at `at`, if nothing was ever spent and the monthly job has run. `opened` is the time at which
 * the account was opened.
 */
export const expectedAccount = (
  subscriptions: ReadonlyArray<WorldSubscription>,
  purchases: ReadonlyArray<WorldPurchase>,
  opened: number,
  at: number
): ExpectedAccount => {
  const topup = topupOf(purchases)
  const live = subscriptions.filter(({ ended }) => ended === undefined)
  const dearestOf = (one: WorldSubscription) =>
    one.pricesOfPaid.toSorted((a, b) => CREDITS[b] - CREDITS[a])[0] as PlanPrice
  const inArrears = (one: WorldSubscription) => Number(one.status === "past-due")
  const [current] = live.toSorted(
    (a, b) => inArrears(a) - inArrears(b) || CREDITS[dearestOf(b)] - CREDITS[dearestOf(a)] || b.begun - a.begun
  )
  if (current !== undefined) {
    const paid = boundsOf(current, current.paidPeriod)
    const isYear = paid.end - paid.start > 45 * DAY
    const { end, start } = isYear ? monthAt(paid.start, Math.min(at, paid.end - 1)) : paid
    const price = dearestOf(current)
    return {
      tier: TIERS[price],
      allowance: CREDITS[price] - outOfPlan({ payment: current.payment, prices: current.pricesOfPaid }),
      topup,
      periodStart: start,
      nextResetAt: end,
      renewedBy: isYear ? "schedule" : "invoice"
    }
  }
  const ends = subscriptions.flatMap(({ ended }) => ended ?? [])
  const anchor = ends.length === 0 ? opened : Math.floor(Math.max(...ends) / 1_000) * 1_000
  const { end, start } = monthAt(anchor, at)
  return {
    tier: "free",
    allowance: CREDITS_OF_FREE,
    topup,
    periodStart: start,
    nextResetAt: end,
    renewedBy: "schedule"
  }
}
