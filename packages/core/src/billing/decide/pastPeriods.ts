import type { UserId } from "../../identity/UserId.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { BillingAccount } from "../BillingAccount.ts"
import { takenBeyond } from "../FollowedPeriod.ts"
import { creditsOfMonth, monthOf, type PaidCredits, type PaidMonth, planOf } from "../planOf.ts"
import { isWithin, type PaidPeriod, type SubscriptionFacts } from "../SubscriptionFacts.ts"

/** A period that an invoice paid for and that the credits no longer follow. */
export interface PastPeriod extends PaidMonth, PaidCredits {
  readonly subscriptionId: string
}

const periodsOf = ({ earlier, paid }: SubscriptionFacts): ReadonlyArray<PaidPeriod> =>
  paid === undefined ? earlier : [...earlier, paid]

/** Returns true if an invoice paid for a period, or for a change within the period. */
const isPaidBy = (facts: SubscriptionFacts, period: PaidPeriod, invoiceId: string): boolean =>
  period.payment?.invoiceId === invoiceId ||
  facts.changes.some((change) => change.payment.invoiceId === invoiceId && isWithin(facts, change, period))

/** Returns the months of a paid period that have begun by a time; each month is granted by itself. */
export const begunMonths = (
  period: PaidPeriod,
  subscriptionId: string,
  userId: UserId,
  now: number
): ReadonlyArray<PaidMonth> => {
  const months: Array<PaidMonth> = []
  for (let at = period.start; at <= now && at < period.end; at = months.at(-1)?.end ?? period.end) {
    months.push(monthOf(period, subscriptionId, userId, at))
  }
  return months
}

/**
 * Returns the periods that an invoice paid for, except the running period, whose credits are taken from the allowance.
 */
export const pastPeriods = (
  account: BillingAccount,
  catalog: CatalogData,
  now: number,
  invoiceId: string
): ReadonlyArray<PastPeriod> => {
  const { invoiceReports, subscriptions, userId } = account
  const current = planOf(account, catalog, now)
  const runs = (subscriptionId: string, { start }: PaidMonth) =>
    current?.subscriptionId === subscriptionId && current.terms.periodStart === start
  return subscriptions.flatMap((facts) =>
    periodsOf(facts)
      .filter((period) => isPaidBy(facts, period, invoiceId))
      .flatMap((period) =>
        begunMonths(period, facts.id, userId, now)
          .filter((month) => !runs(facts.id, month))
          .flatMap((month): ReadonlyArray<PastPeriod> => {
            const credits = creditsOfMonth(facts, period, month, invoiceReports, catalog)
            return credits === undefined ? [] : [{ ...month, ...credits, subscriptionId: facts.id }]
          })
      )
  )
}

/** Whole credits: the spent credits of each period, by its key; periods that were never granted are left out. */
export type UsedCredits = ReadonlyMap<string, number>

/** The keys under which a month of a subscription may have been granted: see `withOwnKey`. */
export const keysOfMonth = (periodKey: string, subscriptionId: string): readonly [own: string, shared: string] => [
  `${periodKey}:${subscriptionId}`,
  periodKey
]

export const keysOfPast = ({ periodKey, subscriptionId }: PastPeriod) => keysOfMonth(periodKey, subscriptionId)

/** The credits that are still to be taken back for a past period; negative if they are to be returned. */
export interface PastTaking {
  readonly periodKey: string
  readonly periodStart: number
  readonly credits: number
}

/**
 * Decides the credits to take back for past periods. In each period, the person owes the spent credits beyond those
 * that are still paid for. Unspent credits have expired, and are not taken a second time.
 */
export const pastTakings = (
  { followed }: BillingAccount,
  past: ReadonlyArray<PastPeriod>,
  used: UsedCredits
): ReadonlyArray<PastTaking> =>
  past.flatMap((period) => {
    const key = keysOfPast(period).find((one) => used.has(one))
    if (key === undefined) return []
    const owed = Math.max(0, Math.min(period.given, used.get(key) ?? 0) + period.refunded - period.given)
    const credits = owed - takenBeyond(followed, key)
    return credits === 0 ? [] : [{ periodKey: key, periodStart: period.start, credits }]
  })
