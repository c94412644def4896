import type { UserId } from "../identity/UserId.ts"
import { periodKey } from "../credits/rules/decideAccount.ts"
import type { PlanTerms } from "../credits/rules/followPlan.ts"
import { periodAt, periodStart } from "../credits/rules/period.ts"
import { lowestTier, rankOf, tierOf } from "../tiers/Catalog.ts"
import type { CatalogData } from "../tiers/CatalogData.ts"
import type { TierName } from "../tiers/Tier.ts"
import { type InvoiceReport, refundedOf } from "./InvoiceReport.ts"
import type { SubscriptionStatus } from "./PaymentEvent.ts"
import type { PaidPeriod, SubscriptionFacts } from "./SubscriptionFacts.ts"

/** The plan that a person is to have by all that was reported of their subscriptions. */
export interface Plan {
  /** The subscription it comes from; undefined where the last one has ended. */
  readonly subscriptionId: string | undefined
  /** As in `FollowPlanInput`. */
  readonly periodKey: string | undefined
  readonly terms: PlanTerms
  /** What of the period's credits is refunded or disputed by now. */
  readonly refunded: number
}

/** A period longer than this gives its credits month by month. Longer than any month, shorter than two. */
const LONGEST_MONTH_MS = 45 * 86_400_000

/** The tier that a price buys; undefined where it buys none. */
export const tierOfPrice = ({ prices }: CatalogData, priceId: string | undefined): TierName | undefined => {
  const bought = priceId !== undefined && Object.hasOwn(prices, priceId) ? prices[priceId] : undefined
  return bought !== undefined && "tier" in bought ? bought.tier : undefined
}

const creditsOf = (catalog: CatalogData, tier: TierName): number => tierOf(catalog, tier).monthlyCredits

/** The highest of some tiers, in the catalog's order. */
const highest = (catalog: CatalogData, tiers: ReadonlyArray<TierName>): TierName | undefined =>
  tiers.toSorted((a, b) => rankOf(catalog, b) - rankOf(catalog, a))[0]

const tiersOf = (catalog: CatalogData, priceIds: ReadonlyArray<string | undefined>): ReadonlyArray<TierName> =>
  priceIds.flatMap((priceId) => tierOfPrice(catalog, priceId) ?? [])

const isLower = (catalog: CatalogData, next: TierName | undefined, tier: TierName): boolean =>
  next !== undefined && rankOf(catalog, next) < rankOf(catalog, tier)

/** What is paid for: by an invoice, else by the checkout, whose period is told by a report or else begins with it. */
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

/** The months of a longer period are told apart by when a price was seen, not by its period, which is the same. */
const seenIn = ({ seen }: SubscriptionFacts, paid: PaidPeriod, from: number, to: number): ReadonlyArray<string> => {
  const inPeriod = seen.filter(({ periodStart: start }) => start === paid.start)
  const before = inPeriod.findLast(({ at }) => at <= from)
  return [
    before?.priceId ?? paid.priceId,
    ...inPeriod.filter(({ at }) => at > from && at < to).map(({ priceId }) => priceId)
  ]
}

/** The plan that one subscription gives at a time in Unix milliseconds; undefined where nothing of it is paid for. */
const planOfSubscription = (
  facts: SubscriptionFacts,
  reports: ReadonlyArray<InvoiceReport>,
  catalog: CatalogData,
  userId: UserId,
  now: number
): Plan | undefined => {
  const paid = entitlementOf(facts)
  if (paid === undefined || facts.endedAt !== undefined) return undefined
  const isLong = paid.end - paid.start > LONGEST_MONTH_MS
  const month = periodAt(paid.start, Math.max(paid.start, Math.min(now, paid.end - 1)))
  const { end, start } = isLong ? { start: month.start, end: Math.min(month.end, paid.end) } : paid
  const inPeriod = facts.seen.filter(({ periodStart: from }) => from === paid.start).map(({ priceId }) => priceId)
  const tiers = tiersOf(catalog, isLong ? seenIn(facts, paid, start, end) : [paid.priceId, ...inPeriod])
  const tier = highest(catalog, tiers)
  if (tier === undefined) return undefined
  const next = tierOfPrice(catalog, facts.latest?.priceId)
  // What the payment bought: a dearer plan since then was paid for by another.
  const bought = creditsOf(catalog, tierOfPrice(catalog, paid.priceId) ?? tier)
  const refunded = refundedOf(bought, paid.payment, reports)
  const isFirst = paid.isFirst && (!isLong || month.number === 0)
  return {
    subscriptionId: facts.id,
    periodKey: isFirst ? `first:${facts.id}` : periodKey(userId, start),
    terms: {
      tier,
      allowance: creditsOf(catalog, tier),
      pendingTier: isLower(catalog, next, tier) ? next : undefined,
      anchor: paid.start,
      periodStart: start,
      nextResetAt: end,
      renewedBy: isLong ? "schedule" : "invoice",
      // A year that is given back gives no further month.
      renewedUntil: isLong ? (refunded > 0 && refunded === bought ? end : paid.end) : undefined
    },
    refunded
  }
}

const ARREARS: ReadonlySet<SubscriptionStatus | undefined> = new Set(["past-due", "unpaid", "paused"])

/** What is paid for counts until it is over: or else falling behind and recovering would give the same period again. */
const isInArrears = (facts: SubscriptionFacts, now: number): boolean =>
  ARREARS.has(facts.latest?.status) && (entitlementOf(facts)?.end ?? 0) <= now

/** Of several subscriptions, one that is paid up before one in arrears, then the highest, then the one begun last. */
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

/** What a plan follows from. */
export interface PlanGrounds {
  readonly userId: UserId
  readonly subscriptions: ReadonlyArray<SubscriptionFacts>
  readonly invoiceReports: ReadonlyArray<InvoiceReport>
}

/** The subscription whose plan a person has, and that plan. */
export const currentPlan = (
  { invoiceReports, subscriptions, userId }: PlanGrounds,
  catalog: CatalogData,
  now: number
): readonly [SubscriptionFacts, Plan] | undefined =>
  subscriptions
    .flatMap((facts): ReadonlyArray<readonly [SubscriptionFacts, Plan]> => {
      const plan = planOfSubscription(facts, invoiceReports, catalog, userId, now)
      return plan === undefined ? [] : [[facts, plan]]
    })
    .toSorted((a, b) => compareSubscriptions(catalog, now, a, b))[0]

/**
 * The plan of a person by all that is known of their subscriptions, at a time in Unix milliseconds: a function of the
 * facts alone, whatever order they came in. Once the last subscription has ended, at most the lowest tier's allowance is left, and
 * its periods begin with that end. Undefined for a person who never paid for one, and where one goes on at a price that
 * the catalog has no more: nobody loses a plan that way.
 */
export const planOf = (grounds: PlanGrounds, catalog: CatalogData, now: number): Plan | undefined => {
  const current = currentPlan(grounds, catalog, now)
  if (current !== undefined) return current[1]
  const { subscriptions } = grounds
  const everPaid = subscriptions.filter((facts) => entitlementOf(facts) !== undefined)
  const ends = everPaid.flatMap(({ endedAt }) => endedAt ?? [])
  if (ends.length === 0 || ends.length < everPaid.length) return undefined
  const anchor = Math.max(...ends)
  const lowest = lowestTier(catalog)
  return {
    subscriptionId: undefined,
    periodKey: undefined,
    terms: {
      tier: lowest.name,
      allowance: lowest.monthlyCredits,
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
