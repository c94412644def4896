import { periodKey } from "../credits/rules/decideAccount.ts"
import type { LeftPeriod, PeriodRest } from "../credits/rules/followPlan.ts"
import type { UserId } from "../identity/UserId.ts"
import type { Plan } from "./planOf.ts"
import type { SubscriptionFacts } from "./SubscriptionFacts.ts"

/** What is left of a subscription's period since another subscription took its place. */
export interface SetAside extends PeriodRest {
  readonly subscriptionId: string
  readonly periodKey: string
}

/** What refunds and disputes took of a period: what is out by their reports, and what of it was left. Whole credits. */
export interface TakenBack {
  readonly wanted: number
  readonly credits: number
}

/** The period that the credits follow, and what is left of those that it took the place of. */
export interface FollowedPeriod {
  /** None: no subscription goes on. */
  readonly subscriptionId?: string | undefined
  readonly periodKey?: string | undefined
  /** Unix milliseconds. */
  readonly periodStart: number
  readonly setAside: ReadonlyArray<SetAside>
  readonly taken?: TakenBack | undefined
}

/** A period of which so much more was taken; given back where it is below zero. */
export const withTaken = (followed: FollowedPeriod, credits: number): FollowedPeriod => ({
  ...followed,
  taken: followed.taken && { ...followed.taken, credits: followed.taken.credits + credits }
})

/**
 * A plan whose period has a key of its own where another subscription's, that began at the same moment, was given under
 * the one that both would have: each is given once, and neither for the other.
 */
export const withOwnKey = (before: FollowedPeriod | undefined, plan: Plan): Plan => {
  const { periodKey: key, subscriptionId } = plan
  if (before === undefined || key === undefined || subscriptionId === undefined) return plan
  const own = `${key}:${subscriptionId}`
  const holds = (id: boolean, named: string) =>
    [before, ...before.setAside].some(
      (one) => (one.subscriptionId === subscriptionId) === id && one.periodKey === named
    )
  if (holds(true, key)) return plan
  return holds(true, own) || holds(false, key) ? { ...plan, periodKey: own } : plan
}

/** Whether the credits follow a plan already. */
export const isFollowed = (before: FollowedPeriod | undefined, { periodKey: key, subscriptionId, terms }: Plan) =>
  before !== undefined &&
  before.subscriptionId === subscriptionId &&
  before.periodKey === key &&
  (key !== undefined || before.periodStart === terms.periodStart)

/** What is left of a plan's period, where another one had taken its place. */
export const restOf = (before: FollowedPeriod | undefined, { periodKey: key, subscriptionId }: Plan) => {
  if (before === undefined || before.subscriptionId === subscriptionId) return undefined
  const rest = before.setAside.find((one) => one.subscriptionId === subscriptionId && one.periodKey === key)
  return rest && { left: rest.left, given: rest.given }
}

/** What is followed with a plan, and what is kept of the period whose place it takes. */
export const followedPeriod = (
  before: FollowedPeriod | undefined,
  { periodKey: key, refunded, subscriptionId, terms: { periodStart } }: Plan,
  subscriptions: ReadonlyArray<SubscriptionFacts>,
  userId: UserId,
  left: LeftPeriod | undefined
): FollowedPeriod => {
  const goesOn = ({ subscriptionId: id }: Pick<SetAside, "subscriptionId">) =>
    id !== subscriptionId && subscriptions.some((facts) => facts.id === id && facts.endedAt === undefined)
  const leaves = before?.subscriptionId
  const last =
    before === undefined || leaves === undefined || left === undefined
      ? []
      : [
          {
            subscriptionId: leaves,
            // The monthly job begins later months of a year by itself.
            periodKey:
              left.periodStart === before.periodStart && before.periodKey !== undefined
                ? before.periodKey
                : periodKey(userId, left.periodStart),
            left: left.left,
            given: left.given
          }
        ]
  const earlier = (before?.setAside ?? []).filter((one) => one.subscriptionId !== leaves)
  return {
    subscriptionId,
    periodKey: key,
    periodStart,
    setAside: [...earlier, ...last].filter(goesOn),
    taken: refunded === 0 ? undefined : { wanted: refunded, credits: 0 }
  }
}
