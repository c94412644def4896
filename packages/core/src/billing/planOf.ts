import type { UserId } from "../identity/UserId.ts"
import { periodKey } from "../credits/rules/resetPeriod.ts"
import type { PlanTerms } from "../credits/rules/followPlan.ts"
import { periodAt, periodStart } from "../credits/rules/period.ts"
import { lowestTier, rankOf, tierOf, type CatalogData } from "../tiers/CatalogData.ts"
import type { TierName } from "../tiers/Tier.ts"
import { type InvoiceReport, refundedOf } from "./InvoiceReport.ts"
import type { SubscriptionStatus } from "./provider/PaymentEvent.ts"
import { isWithin, type PaidPeriod, type PeriodPayment, type SubscriptionFacts } from "./SubscriptionFacts.ts"

/** The plan that a person should have, according to everything that was reported about their subscriptions. */
export interface Plan {
  /** The subscription of the plan; undefined if the last subscription has ended. */
  readonly subscriptionId: string | undefined
  /** As in `FollowPlanInput`: the key under which the period is granted. */
  readonly periodKey: string | undefined
  readonly terms: PlanTerms
  /** The credits of the period that are refunded or disputed at this time. */
  readonly refunded: number
}

/** A period longer than this grants its credits month by month. Longer than any month, shorter than two months. */
const LONGEST_MONTH_MS = 45 * 86_400_000

/** Returns the tier that a price buys; undefined if it buys none. */
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

/**
 * Returns the paid period: that of the invoice, or else of the checkout. The period of a checkout is known from a
 * report of the subscription, or assumed to begin with the checkout.
 */
const entitlementOf = ({ checkout, paid, seen }: SubscriptionFacts): PaidPeriod | undefined => {
  if (paid !== undefined) return paid
  if (checkout === undefined) return undefined
  const { at, priceId } = checkout
  // A period that began after the checkout is not the checkout's period (for example after a change to a yearly plan):
  // its own invoice pays for it.
  const first = seen
    .filter((one) => one.periodStart <= at)
    .toSorted((a, b) => a.periodStart - b.periodStart || a.at - b.at)[0]
  return first === undefined
    ? { start: at, end: periodStart(at, 1), priceId, isFirst: true, payment: undefined }
    : { start: first.periodStart, end: first.periodEnd, priceId, isFirst: true, payment: undefined }
}

/** A payment for a tier within a period, and the time from which the tier applies. */
interface PaidTier {
  readonly tier: TierName
  readonly at: number
  readonly payment: PeriodPayment | undefined
}

/**
 * Returns the tiers that were paid for in a period until `until`, in the order of time: first the tier of the period,
 * then those of changes within it.
 */
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
 * Returns the tier of a month that begins at `from`, out of the tiers that were paid for by its end: the last one paid
 * for before the month, or a cheaper one that was reported since; or a more expensive one that was paid for within the
 * month. A report without a payment never grants more.
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

/**
 * The credits that reports of refunds and disputes take back. Each payment counts with the credits that it bought
 * beyond the payments before it.
 */
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

/**
 * A month of a paid period that is longer than a month; otherwise the whole paid period. Times in Unix milliseconds.
 */
export interface PaidMonth {
  readonly start: number
  readonly end: number
  /** As in `FollowPlanInput`: the key under which the month is granted. */
  readonly periodKey: string
  readonly isLong: boolean
}

/** Returns the month of a paid period that runs at a time. */
export const monthOf = (period: PaidPeriod, subscriptionId: string, userId: UserId, at: number): PaidMonth => {
  const isLong = period.end - period.start > LONGEST_MONTH_MS
  const month = periodAt(period.start, Math.max(period.start, Math.min(at, period.end - 1)))
  const { end, start } = isLong ? { start: month.start, end: Math.min(month.end, period.end) } : period
  const isFirst = period.isFirst && (!isLong || month.number === 0)
  return { start, end, isLong, periodKey: isFirst ? `first:${subscriptionId}` : periodKey(userId, start) }
}

/** The credits of a month, and the part of them that refunds and disputes take back. */
export interface PaidCredits {
  readonly tier: TierName
  /** Whole credits. */
  readonly given: number
  readonly refunded: number
  /** True if the whole payment of the period's own invoice was refunded or withdrawn. */
  readonly isGivenBack: boolean
}

/** Returns the credits of a month of a period; undefined if the catalog has no tier for its prices. */
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

/**
 * Returns the plan of one subscription at a time in Unix milliseconds; undefined if nothing of the subscription is paid
 * for.
 */
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
      // If the whole year was refunded, no further month is granted.
      renewedUntil: month.isLong ? (isGivenBack ? month.end : period.end) : undefined
    },
    refunded
  }
}

const ARREARS: ReadonlySet<SubscriptionStatus | undefined> = new Set(["past-due", "unpaid", "paused"])

/**
 * Returns true if a subscription is in arrears and its paid period is over. A paid period counts until its end;
 * otherwise falling into arrears and recovering would grant the same period again.
 */
const isInArrears = (facts: SubscriptionFacts, now: number): boolean =>
  ARREARS.has(facts.latest?.status) && (entitlementOf(facts)?.end ?? 0) <= now

/**
 * Orders subscriptions: those without arrears before those in arrears, then the highest plan first, then the latest
 * start first.
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

/** The facts from which a plan is computed. */
export interface PlanGrounds {
  readonly userId: UserId
  readonly subscriptions: ReadonlyArray<SubscriptionFacts>
  readonly invoiceReports: ReadonlyArray<InvoiceReport>
  /** As in `BillingAccount`: the time of an imported balance, in Unix milliseconds. */
  readonly importedAt?: number | undefined
}

/**
 * Returns the subscriptions that continue and are paid for, each with its plan; the first one determines the person's
 * plan.
 */
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
 * Returns the plan of a person from the facts of all subscriptions, at a time in Unix milliseconds. The plan depends on
 * the facts alone, not on the order of their arrival. After the end of the last subscription, at most the lowest tier's
 * allowance remains, and its periods begin with that end. Returns undefined if the person never paid for a
 * subscription, if the last subscription ended before an import, or if a subscription continues at a price that the
 * catalog no longer has, so that a change of the catalog takes no plan away.
 */
export const planOf = (grounds: PlanGrounds, catalog: CatalogData, now: number): Plan | undefined => {
  const [current] = paidPlans(grounds, catalog, now)
  if (current !== undefined) return current[1]
  const { importedAt = -Infinity, subscriptions } = grounds
  // A subscription from before an import counts as paid, because its payments may be unknown here.
  const everPaid = subscriptions.filter(
    (facts) => entitlementOf(facts) !== undefined || (facts.startedAt ?? Infinity) < importedAt
  )
  const ends = everPaid.flatMap(({ endedAt }) => endedAt ?? [])
  if (ends.length === 0 || ends.length < everPaid.length) return undefined
  const anchor = Math.max(...ends)
  // The subscription ended before the import, so the imported tier already reflects that end.
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
