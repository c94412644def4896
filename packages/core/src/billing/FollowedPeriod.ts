import { periodKey } from "../credits/rules/resetPeriod.ts"
import type { LeftPeriod, PeriodRest } from "../credits/rules/followPlan.ts"
import type { UserId } from "../identity/UserId.ts"
import type { Plan } from "./planOf.ts"
import type { SubscriptionFacts } from "./SubscriptionFacts.ts"

/** The remaining credits of a subscription's period that another subscription has replaced. */
export interface SetAside extends PeriodRest {
  readonly subscriptionId: string
  readonly periodKey: string
}

/** Credits that refunds and disputes took of the period that is followed: out of its allowance, and beyond. Whole credits. */
export interface TakenBack {
  readonly allowance: number
  readonly beyond: number
}

/** Spent credits of a period that is not followed any more, which refunds and disputes took: they are paid for no more. */
export interface TakenBeyond {
  readonly periodKey: string
  /** Whole credits. */
  readonly credits: number
}

/** The period that the credits follow, and the remaining credits of the periods that it replaced. */
export interface FollowedPeriod {
  /** None: no subscription goes on. */
  readonly subscriptionId?: string | undefined
  readonly periodKey?: string | undefined
  /** Unix milliseconds. */
  readonly periodStart: number
  readonly setAside: ReadonlyArray<SetAside>
  readonly taken?: TakenBack | undefined
  readonly beyond?: ReadonlyArray<TakenBeyond> | undefined
}

/** A period with more credits taken; a negative amount returns credits. */
export const withTaken = (followed: FollowedPeriod, { allowance, beyond }: TakenBack): FollowedPeriod => {
  const before = followed.taken ?? { allowance: 0, beyond: 0 }
  return { ...followed, taken: { allowance: before.allowance + allowance, beyond: before.beyond + beyond } }
}

/** The credits taken of a period beyond its remaining ones, whether it is followed or was. */
export const takenBeyond = (followed: FollowedPeriod | undefined, key: string | undefined): number => {
  if (followed === undefined || key === undefined) return 0
  const { beyond = [], periodKey: now, taken } = followed
  return now === key ? (taken?.beyond ?? 0) : (beyond.find(({ periodKey: one }) => one === key)?.credits ?? 0)
}

/** The same with more credits taken; a negative amount returns credits. */
export const withTakenBeyond = (followed: FollowedPeriod, key: string, credits: number): FollowedPeriod => {
  const { beyond = [] } = followed
  const total = (beyond.find(({ periodKey: one }) => one === key)?.credits ?? 0) + credits
  const others = beyond.filter(({ periodKey: one }) => one !== key)
  return { ...followed, beyond: total === 0 ? others : [...others, { periodKey: key, credits: total }] }
}

/**
 * A plan whose period has a key of its own if the period of another subscription, which began at the same moment, was granted
 * under their common key: each is granted once, and neither replaces the other.
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

/** The remaining credits of a plan's period, if another one had replaced it. */
export const restOf = (before: FollowedPeriod | undefined, { periodKey: key, subscriptionId }: Plan) => {
  if (before === undefined || before.subscriptionId === subscriptionId) return undefined
  const rest = before.setAside.find((one) => one.subscriptionId === subscriptionId && one.periodKey === key)
  return rest && { left: rest.left, given: rest.given }
}

/** The followed period of a plan, with the remaining credits of the period that it replaces. */
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
