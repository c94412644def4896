import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { TierName } from "../../tiers/Tier.ts"
import { type RenewedBy, freeOf, splitGrant } from "../Account.ts"
import { AccountNotFound, InvalidAmount, KeyConflict } from "../errors.ts"
import type { Transaction } from "../Transaction.ts"
import { beginPeriod, PERIOD_FINGERPRINT } from "./resetPeriod.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { decideOnce, type OnceRefusal, type Journal, post } from "./journal.ts"
import type { Decision, LedgerAccount, Operation } from "./LedgerState.ts"

/** The target plan of an account, independent of its current plan. Credits are whole, times Unix milliseconds. */
export interface PlanTerms {
  readonly tier: TierName
  /** The allowance of the most expensive plan of the period. */
  readonly allowance: number
  /** The tier from the next period on, if it will change. */
  readonly pendingTier: TierName | undefined
  readonly anchor: number
  readonly periodStart: number
  readonly nextResetAt: number
  readonly renewedBy: RenewedBy
  readonly renewedUntil: number | undefined
}

/** The credits of an account from a period: those left of it, outside open holds, and those that it granted in all. */
export interface PeriodRest {
  readonly left: number
  readonly given: number
}

/** The account's credits from its previous period, and the start of that period in Unix milliseconds. */
export interface LeftPeriod extends PeriodRest {
  readonly periodStart: number
}

export interface FollowPlanInput {
  readonly userId: UserId
  readonly terms: PlanTerms
  /**
   * The business event for which the period is granted once: `first:<subscription>` or `period:<user>:<start>`, which a
   * paid invoice shares with the monthly job. Undefined if nothing is granted, for example after a subscription has
   * ended.
   */
  readonly periodKey: string | undefined
  /**
   * The credits left of that period when another one replaced it: the period continues with them, and grants only the
   * excess over its earlier grant. Undefined if the account is in that period, or the period is new.
   */
  readonly resumes?: PeriodRest | undefined
  /**
   * The credits that refunds and disputes have taken out of the allowance of the period that began then: they count as
   * remaining in that period. Those of the plan are taken again afterwards.
   */
  readonly taken?: { readonly periodStart: number; readonly credits: number } | undefined
  /**
   * The credits of the period that are part of an imported balance: a period that was not granted here counts as granted
   * with them.
   */
  readonly contained?: number | undefined
  /**
   * The key of this change of terms, for example `plan:<event>`: if nothing is granted, its transaction has this key.
   */
  readonly changeKey: string
}

export interface FollowedPlan {
  /** The written change; undefined if nothing changed. */
  readonly transaction: Transaction | undefined
  /** The account's credits before the change; undefined if nothing was done now. */
  readonly left: LeftPeriod | undefined
}

const withTerms = (account: LedgerAccount, { allowance: _allowance, ...terms }: PlanTerms): LedgerAccount => ({
  ...account,
  ...terms
})

const isSame = (account: LedgerAccount, { allowance, ...terms }: PlanTerms): boolean =>
  account.periodCredits === allowance &&
  (Object.keys(terms) as ReadonlyArray<keyof typeof terms>).every((name) => account[name] === terms[name])

const leftOf = (account: LedgerAccount, { taken }: FollowPlanInput): LeftPeriod => ({
  left: freeOf(account).allowance + takenOf(account, taken),
  given: account.periodCredits,
  periodStart: account.periodStart
})

const takenOf = ({ periodStart }: LedgerAccount, taken: FollowPlanInput["taken"]): number =>
  taken?.periodStart === periodStart ? taken.credits : 0

/**
 * The change of credits for a period that was granted before: the rest of the other period is removed, and this
 * period's own rest returns.
 */
const changeOf = (account: LedgerAccount, input: FollowPlanInput): number => {
  const { contained, periodKey, resumes, terms } = input
  if (contained !== undefined) return Math.max(0, terms.allowance - contained)
  const { given, left } = resumes ?? leftOf(account, input)
  const more = periodKey === undefined ? 0 : Math.max(0, terms.allowance - given)
  const kept = more > 0 ? left : Math.min(left, terms.allowance)
  return kept + more - freeOf(account).allowance
}

/**
 * The period was granted before: its dates and its tier are corrected. A more expensive plan of the same period grants
 * its excess over the most expensive one so far; a plan with less leaves no more than its allowance.
 */
const align = (account: LedgerAccount, input: FollowPlanInput, reference: string, at: number): Journal => {
  const { periodKey, terms } = input
  const amount = changeOf(account, input)
  const allowance = amount > 0 ? splitGrant(account, amount).added : amount
  return post(
    { account: { ...withTerms(account, terms), periodCredits: terms.allowance }, transactions: [] },
    { type: periodKey === undefined ? "reset" : "adjustment", amount, allowance, topup: 0, reference, at }
  )
}

const begin = (account: LedgerAccount, terms: PlanTerms, reference: string, at: number): Journal => {
  const { periodStart: start, nextResetAt: end, tier, allowance } = terms
  const { journal } = beginPeriod(withTerms(account, terms), { tier, allowance, start, end }, reference, at)
  return { ...journal, account: { ...journal.account, pendingTier: terms.pendingTier } }
}

const wrong = (account: LedgerAccount, input: FollowPlanInput): string | undefined => {
  const { allowance } = input.terms
  if (!Number.isSafeInteger(allowance) || allowance < 0) return "it must be a whole number of credits, 0 or more"
  return changeOf(account, input) > MAX_CREDITS - account.allowance - account.topup
    ? `an account holds at most ${MAX_CREDITS} credits`
    : undefined
}

/**
 * Sets an account's plan to the target. A period whose key is new begins: allowance := plan, debt is repaid first,
 * top-ups are untouched. A period that was granted before is only corrected, so that reports of a subscription may come
 * in any order and number: the terms are those of the last call, and each period is granted once. If periods of several
 * subscriptions replace each other, each continues with its own rest. A repeated change returns its first answer; one
 * that changes nothing writes nothing.
 */
export const followPlan = (asked: FollowPlanInput): Operation<FollowedPlan, OnceRefusal> => {
  const { changeKey, periodKey, terms, userId } = asked
  const fingerprint = `plan ${terms.tier}`
  return {
    name: "followPlan",
    userId,
    reads: { key: changeKey, secondKey: periodKey },
    decide: (view, now): Decision<FollowedPlan, OnceRefusal> => {
      const { account, open, record, second } = view
      const input = second.record === undefined ? asked : { ...asked, contained: undefined }
      const refuse = (error: OnceRefusal) => ({ answer: Result.fail(error), changes: undefined })
      if (account === undefined) return refuse(new AccountNotFound({ userId }))
      const isNew = record === undefined && open === undefined
      if (isNew && periodKey !== undefined && second.open !== undefined)
        return refuse(new KeyConflict({ key: periodKey }))
      const stays = isSame(account, terms) && takenOf(account, input.taken) === 0
      if (isNew && (periodKey === undefined || second.record !== undefined) && stays) {
        return { answer: Result.succeed({ transaction: undefined, left: undefined }), changes: undefined }
      }
      const reason = isNew ? wrong(account, input) : undefined
      if (reason !== undefined) return refuse(new InvalidAmount({ reason }))
      const begins = isNew && periodKey !== undefined && second.record === undefined
      const { answer, changes } = begins
        ? decideOnce(
            { account, ...second },
            {
              userId,
              key: periodKey,
              fingerprint: PERIOD_FINGERPRINT,
              now,
              post: (before) =>
                Result.succeed(
                  input.contained === undefined
                    ? begin(before, terms, periodKey, now)
                    : align(before, input, periodKey, now)
                )
            }
          )
        : decideOnce(view, {
            userId,
            key: changeKey,
            fingerprint,
            now,
            post: (before) => Result.succeed(align(before, input, changeKey, now))
          })
      const left = changes === undefined ? undefined : leftOf(account, input)
      return { answer: Result.map(answer, (transaction) => ({ transaction, left })), changes }
    }
  }
}
