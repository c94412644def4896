import type { UserId } from "../identity/UserId.ts"
import { periodKey } from "../credits/rules/resetPeriod.ts"
import type { PlanTerms } from "../credits/rules/followPlan.ts"
import { periodAt, periodStart } from "../credits/rules/period.ts"
import { lowestTier, rankOf, tierOf, type CatalogData } from "../tiers/CatalogData.ts"
import type { TierName } from "../tiers/Tier.ts"
import { type InvoiceReport, refundedOf } from "./InvoiceReport.ts"
import type { SubscriptionStatus } from "./provider/PaymentEvent.ts"
import { isWithin, type PaidPeriod, type PeriodPayment, type SubscriptionFacts } from "./SubscriptionFacts.ts"

/** The plan that a person is to have by all that was reported of their subscriptions. */
export interface Plan {
  /** Its subscription; undefined if the last one has ended. */
  readonly subscriptionId: string | undefined
  /** As in `FollowPlanInput`. */
  readonly periodKey: string | undefined
  readonly terms: PlanTerms
  /** The credits of the period that are refunded or disputed by now. */
  readonly refunded: number
}

/** A longer period grants its credits month by month. Longer than any month, shorter than two. */
const LONGEST_MONTH_MS = 45 * 86_400_000

/** The tier that a price buys; undefined if it buys none. */
export const tierOfPrice = ({ prices }: CatalogData, priceId: string | undefined): TierName | undefined => {
  const bought = priceId !== undefined && Object.hasOwn(prices, priceId) ? prices[priceId] : undefined
  return bought !== undefined && "tier" in bought ? bought.tier : undefined
}

const creditsOf = (catalog: CatalogData, tier: TierName): number => tierOf(catalog, tier).monthlyCredits

type Tiers = readonly [TierName, ...ReadonlyArray<TierName>]

const highest = (catalog: CatalogData, [first, ...others]: Tiers): TierName =>
  others.reduce((most, tier) => (rankOf(catalog, tier) > rankOf(catalog, most) ? tier : most), first)

const lowest = (catalog: CatalogData, [first, ...others]: Tiers): TierName =>
  others.reduce((least, tier) => (rankOf(catalog, tier) < rankOf(catalog, least) ? tier : least), first)

const isLower = (catalog: CatalogData, next: TierName | undefined, tier: TierName): boolean =>
  next !== undefined && rankOf(catalog, next) < rankOf(catalog, tier)

/** The paid period: of an invoice, or else of the checkout. The period of a checkout comes from a report, or begins with it. */
const entitlementOf = ({ checkout, paid, seen }: SubscriptionFacts): PaidPeriod | undefined => {
  if (paid !== undefined) return paid
  if (checkout === undefined) return undefined
  const { at, priceId } = checkout
  // A period that began later is another one, as of a plan of another length: its own invoice pays for it.
  const first = seen
    .filter((one) => one.periodStart <= at)
    .toSorted((a, b) => a.periodStart - b.periodStart || a.at - b.at)[0]
  return first === undefined
    ? { start: at, end: periodStart(at, 1), priceId, isFirst: true, payment: undefined }
    : { start: first.periodStart, end: first.periodEnd, priceId, isFirst: true, payment: undefined }
}

/** A payment for a tier within a period, and the time from which it counts. */
interface PaidTier {
  readonly tier: TierName
  readonly at: number
  readonly payment: PeriodPayment | undefined
}

/** The tiers paid for in a period until a moment, in the order of time: its own, and those it was changed to. */
const paidTiers = (
  facts: SubscriptionFacts,
  period: PaidPeriod,
  catalog: CatalogData,
  until: number
): ReadonlyArray<PaidTier> =>
  [
    { ...period, at: period.start },
    ...facts.changes.filter((change) => change.at < until && isWithin(facts, change, period))
  ].flatMap(({ at, payment, priceId }) => {
    const tier = tierOfPrice(catalog, priceId)
    return tier === undefined ? [] : [{ tier, at, payment }]
  })

/**
 * The tier of a month that begins at `from`, of those that were paid for until its end: the one paid for last before, or a
 * cheaper one that was reported since; or a dearer one that was paid for within the month. A report alone never grants more.
 */
const tierOfMonth = (
  { seen }: SubscriptionFacts,
  paid: ReadonlyArray<PaidTier>,
  catalog: CatalogData,
  from: number
): TierName | undefined => {
  const before = paid.findLast(({ at }) => at <= from) ?? paid[0]
  if (before === undefined) return undefined
  const reported = seen.flatMap(({ at, priceId }) => {
    const tier = at > before.at && at <= from ? tierOfPrice(catalog, priceId) : undefined
    return tier === undefined ? [] : [tier]
  })
  const begun = lowest(catalog, [before.tier, ...reported])
  return highest(catalog, [begun, ...paid.filter(({ at }) => at > from).map(({ tier }) => tier)])
}

/** Credits that reports take back: of each payment those that it bought beyond the payments before it. */
const refundedCredits = (
  paid: ReadonlyArray<PaidTier>,
  reports: ReadonlyArray<InvoiceReport>,
  catalog: CatalogData
): number => {
  let most = 0
  let out = 0
  for (const { payment, tier } of paid) {
    const credits = Math.max(most, creditsOf(catalog, tier))
    out += refundedOf(credits - most, payment, reports)
    most = credits
  }
  return out
}

/** A month of a period that is paid for; the whole of one that is no longer. Times in Unix milliseconds. */
export interface PaidMonth {
  readonly start: number
  readonly end: number
  /** As in `FollowPlanInput`. */
  readonly periodKey: string
  readonly isLong: boolean
}

/** The month of a period that runs at a time. */
export const monthOf = (period: PaidPeriod, subscriptionId: string, userId: UserId, at: number): PaidMonth => {
  const isLong = period.end - period.start > LONGEST_MONTH_MS
  const month = periodAt(period.start, Math.max(period.start, Math.min(at, period.end - 1)))
  const { end, start } = isLong ? { start: month.start, end: Math.min(month.end, period.end) } : period
  const isFirst = period.isFirst && (!isLong || month.number === 0)
  return { start, end, isLong, periodKey: isFirst ? `first:${subscriptionId}` : periodKey(userId, start) }
}

/** The credits of a month, and those of them that are out by the reports of its payments. */
export interface PaidCredits {
  readonly tier: TierName
  /** Whole credits. */
  readonly given: number
  readonly refunded: number
  /** The whole payment of the period's own invoice was taken back. */
  readonly isGivenBack: boolean
}

/** The credits of a month of a period; undefined if the catalog has none of its prices. */
export const creditsOfMonth = (
  facts: SubscriptionFacts,
  period: PaidPeriod,
  { end, isLong, start }: PaidMonth,
  reports: ReadonlyArray<InvoiceReport>,
  catalog: CatalogData
): PaidCredits | undefined => {
  const paid = paidTiers(facts, period, catalog, end)
  const [first] = paid
  const tier = isLong
    ? tierOfMonth(facts, paid, catalog, start)
    : first && highest(catalog, [first.tier, ...paid.map((one) => one.tier)])
  if (first === undefined || tier === undefined) return undefined
  const given = creditsOf(catalog, tier)
  const bought = creditsOf(catalog, first.tier)
  return {
    tier,
    given,
    refunded: Math.min(given, refundedCredits(paid, reports, catalog)),
    isGivenBack: bought > 0 && refundedOf(bought, first.payment, reports) === bought
  }
}

/** The plan of one subscription at a time in Unix milliseconds; undefined if nothing of it is paid for. */
const planOfSubscription = (
  facts: SubscriptionFacts,
  reports: ReadonlyArray<InvoiceReport>,
  catalog: CatalogData,
  userId: UserId,
  now: number
): Plan | undefined => {
  const period = entitlementOf(facts)
  if (period === undefined || facts.endedAt !== undefined) return undefined
  const month = monthOf(period, facts.id, userId, now)
  const credits = creditsOfMonth(facts, period, month, reports, catalog)
  if (credits === undefined) return undefined
  const { given: allowance, isGivenBack, refunded, tier } = credits
  const next = tierOfPrice(catalog, facts.latest?.priceId)
  return {
    subscriptionId: facts.id,
    periodKey: month.periodKey,
    terms: {
      tier,
      allowance,
      pendingTier: isLower(catalog, next, tier) ? next : undefined,
      anchor: period.start,
      periodStart: month.start,
      nextResetAt: month.end,
      renewedBy: month.isLong ? "schedule" : "invoice",
      // A refunded year grants no further month.
      renewedUntil: month.isLong ? (isGivenBack ? month.end : period.end) : undefined
    },
    refunded
  }
}

const ARREARS: ReadonlySet<SubscriptionStatus | undefined> = new Set(["past-due", "unpaid", "paused"])

/** A paid period counts until its end: otherwise arrears and recovery would grant the same period again. */
const isInArrears = (facts: SubscriptionFacts, now: number): boolean =>
  ARREARS.has(facts.latest?.status) && (entitlementOf(facts)?.end ?? 0) <= now

/**
 * Of several subscriptions, one without arrears comes before one in arrears, then the highest plan, then the latest
 * start.
 */
const compareSubscriptions = (
  catalog: CatalogData,
  now: number,
  [a, planA]: readonly [SubscriptionFacts, Plan],
  [b, planB]: readonly [SubscriptionFacts, Plan]
): number =>
  +isInArrears(a, now) - +isInArrears(b, now) ||
  rankOf(catalog, planB.terms.tier) - rankOf(catalog, planA.terms.tier) ||
  (b.startedAt ?? 0) - (a.startedAt ?? 0) ||
  (a.id < b.id ? -1 : 1)

/** The facts of which a plan is a function. */
export interface PlanGrounds {
  readonly userId: UserId
  readonly subscriptions: ReadonlyArray<SubscriptionFacts>
  readonly invoiceReports: ReadonlyArray<InvoiceReport>
  /** As in `BillingAccount`. */
  readonly importedAt?: number | undefined
}

/** The subscriptions that go on and are paid for, each with its plan; first the one whose plan the person has. */
export const paidPlans = (
  { invoiceReports, subscriptions, userId }: PlanGrounds,
  catalog: CatalogData,
  now: number
): ReadonlyArray<readonly [SubscriptionFacts, Plan]> =>
  subscriptions
    .flatMap((facts): ReadonlyArray<readonly [SubscriptionFacts, Plan]> => {
      const plan = planOfSubscription(facts, invoiceReports, catalog, userId, now)
      return plan === undefined ? [] : [[facts, plan]]
    })
    .toSorted((a, b) => compareSubscriptions(catalog, now, a, b))

/**
 * The plan of a person from the facts of all subscriptions, at a time in Unix milliseconds: a function of the facts alone, in any
 * order of arrival. After the end of the last subscription, at most the lowest tier's allowance remains, and its periods begin
 * with that end. Undefined for a person who never paid for a subscription, if the last one ended before an import, and if one
 * continues at a price that the catalog no longer has, so that a change of the catalog takes no plan away.
 */
export const planOf = (grounds: PlanGrounds, catalog: CatalogData, now: number): Plan | undefined => {
  const [current] = paidPlans(grounds, catalog, now)
  if (current !== undefined) return current[1]
  const { importedAt = -Infinity, subscriptions } = grounds
  // The payments of a subscription from before an import may be unknown here.
  const everPaid = subscriptions.filter(
    (facts) => entitlementOf(facts) !== undefined || (facts.startedAt ?? Infinity) < importedAt
  )
  const ends = everPaid.flatMap(({ endedAt }) => endedAt ?? [])
  if (ends.length === 0 || ends.length < everPaid.length) return undefined
  const anchor = Math.max(...ends)
  // The imported tier already takes account of it.
  if (anchor < importedAt) return undefined
  const free = lowestTier(catalog)
  return {
    subscriptionId: undefined,
    periodKey: undefined,
    terms: {
      tier: free.name,
      allowance: free.monthlyCredits,
      pendingTier: undefined,
      anchor,
      periodStart: anchor,
      nextResetAt: periodStart(anchor, 1),
      renewedBy: "schedule",
      renewedUntil: undefined
    },
    refunded: 0
  }
}
