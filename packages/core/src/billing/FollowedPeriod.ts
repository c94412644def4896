import { periodKey } from "../credits/rules/resetPeriod.ts"
import type { LeftPeriod, PeriodRest } from "../credits/rules/followPlan.ts"
import type { UserId } from "../identity/UserId.ts"
import type { Plan } from "./planOf.ts"
import type { SubscriptionFacts } from "./SubscriptionFacts.ts"

/** The remaining credits of a subscription's period that another subscription's period has replaced. */
export interface SetAside extends PeriodRest {
  readonly subscriptionId: string
  readonly periodKey: string
}

/**
 * Whole credits that refunds and disputes took from the followed period: from its allowance, and beyond the allowance.
 */
export interface TakenBack {
  readonly allowance: number
  readonly beyond: number
}

/** Spent credits of a past period that refunds and disputes took back, because they are no longer paid for. */
export interface TakenBeyond {
  readonly periodKey: string
  /** Whole credits. */
  readonly credits: number
}

/** The period that the credits follow, and the remaining credits of the periods that it replaced. */
export interface FollowedPeriod {
  /** Undefined if no subscription continues. */
  readonly subscriptionId?: string | undefined
  readonly periodKey?: string | undefined
  /** Unix milliseconds. */
  readonly periodStart: number
  readonly setAside: ReadonlyArray<SetAside>
  readonly taken?: TakenBack | undefined
  readonly beyond?: ReadonlyArray<TakenBeyond> | undefined
}

/** Adds credits that were taken from the followed period; negative numbers return credits. */
export const withTaken = (followed: FollowedPeriod, { allowance, beyond }: TakenBack): FollowedPeriod => {
  const before = followed.taken ?? { allowance: 0, beyond: 0 }
  return { ...followed, taken: { allowance: before.allowance + allowance, beyond: before.beyond + beyond } }
}

/**
 * Returns the credits that were taken for a period beyond its remaining allowance, for the followed period or a past
 * one.
 */
export const takenBeyond = (followed: FollowedPeriod | undefined, key: string | undefined): number => {
  if (followed === undefined || key === undefined) return 0
  const { beyond = [], periodKey: now, taken } = followed
  return now === key ? (taken?.beyond ?? 0) : (beyond.find(({ periodKey: one }) => one === key)?.credits ?? 0)
}

/** Adds credits that were taken for a past period; a negative number returns credits. */
export const withTakenBeyond = (followed: FollowedPeriod, key: string, credits: number): FollowedPeriod => {
  const { beyond = [] } = followed
  const total = (beyond.find(({ periodKey: one }) => one === key)?.credits ?? 0) + credits
  const others = beyond.filter(({ periodKey: one }) => one !== key)
  return { ...followed, beyond: total === 0 ? others : [...others, { periodKey: key, credits: total }] }
}

/**
 * Returns a plan whose period key contains its subscription if the period of another subscription with the same start
 * was granted under the common key. So each period is granted once, and neither replaces the other.
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

/** Returns true if the credits already follow a plan. */
export const isFollowed = (before: FollowedPeriod | undefined, { periodKey: key, subscriptionId, terms }: Plan) =>
  before !== undefined &&
  before.subscriptionId === subscriptionId &&
  before.periodKey === key &&
  (key !== undefined || before.periodStart === terms.periodStart)

/** Returns the remaining credits of a plan's period, if another period had replaced it; undefined otherwise. */
export const restOf = (before: FollowedPeriod | undefined, { periodKey: key, subscriptionId }: Plan) => {
  if (before === undefined || before.subscriptionId === subscriptionId) return undefined
  const rest = before.setAside.find((one) => one.subscriptionId === subscriptionId && one.periodKey === key)
  return rest && { left: rest.left, given: rest.given }
}

/** Returns the followed period of a plan, including the remaining credits of the period that it replaces. */
export const followedPeriod = (
  before: FollowedPeriod | undefined,
  plan: Plan,
  subscriptions: ReadonlyArray<SubscriptionFacts>,
  userId: UserId,
  left: LeftPeriod | undefined
): FollowedPeriod => {
  const { periodKey: key, subscriptionId, terms } = plan
  const goesOn = ({ subscriptionId: id }: Pick<SetAside, "subscriptionId">) =>
    id !== subscriptionId && subscriptions.some((facts) => facts.id === id && facts.endedAt === undefined)
  const leaves = before?.subscriptionId
  const last =
    before === undefined || leaves === undefined || left === undefined
      ? []
      : [
          {
            subscriptionId: leaves,
            // In a plan that is paid by the year, the monthly job has begun the later months under keys of their own.
            periodKey:
              left.periodStart === before.periodStart && before.periodKey !== undefined
                ? before.periodKey
                : periodKey(userId, left.periodStart),
            left: left.left,
            given: left.given
          }
        ]
  const earlier = (before?.setAside ?? []).filter((one) => one.subscriptionId !== leaves)
  const next: FollowedPeriod = {
    subscriptionId,
    periodKey: key,
    periodStart: terms.periodStart,
    setAside: [...earlier, ...last].filter(goesOn),
    taken: { allowance: 0, beyond: takenBeyond(before, key) },
    beyond: (before?.beyond ?? []).filter(({ periodKey: one }) => one !== key)
  }
  const { beyond = 0 } = before?.taken ?? {}
  return beyond === 0 || before?.periodKey === undefined || before.periodKey === key
    ? next
    : withTakenBeyond(next, before.periodKey, beyond)
}
