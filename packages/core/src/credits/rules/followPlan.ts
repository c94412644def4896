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

/**
 * The target plan of an account, independent of its current plan. Amounts are whole credits, times are Unix
 * milliseconds.
 */
export interface PlanTerms {
  readonly tier: TierName
  /** The allowance of the most expensive plan that the person has had in the period. */
  readonly allowance: number
  /** The tier from the next period on, if it will change. */
  readonly pendingTier: TierName | undefined
  readonly anchor: number
  readonly periodStart: number
  readonly nextResetAt: number
  readonly renewedBy: RenewedBy
  readonly renewedUntil: number | undefined
}

/**
 * The credits of an account from one period: `left` are unspent and outside open holds, `given` are all that the period
 * granted.
 */
export interface PeriodRest {
  readonly left: number
  readonly given: number
}

/**
 * The credits of the period that the account was in before a change, and the start of that period in Unix milliseconds.
 */
export interface LeftPeriod extends PeriodRest {
  readonly periodStart: number
}

export interface FollowPlanInput {
  readonly userId: UserId
  readonly terms: PlanTerms
  /**
   * The key of the business event that grants the period, once: `first:<subscription>`, or `period:<user>:<start>`,
   * which a paid invoice and the monthly job share. Undefined if no period is granted, for example after a subscription
   * has ended.
   */
  readonly periodKey: string | undefined
  /**
   * The credits that the period had left when another period replaced it. The period continues with them, and grants
   * only the excess over its earlier grant. Undefined if the account is in that period, or if the period is new.
   */
  readonly resumes?: PeriodRest | undefined
  /**
   * The credits that refunds and disputes have taken from the allowance of the period that began at `periodStart`: they
   * count as remaining in that period. The credits to take from the new plan are taken again afterwards.
   */
  readonly taken?: { readonly periodStart: number; readonly credits: number } | undefined
  /** The credits of the period that an imported balance contains: they count as an earlier grant of the period. */
  readonly contained?: number | undefined
  /**
   * The key of this change of terms, for example `plan:<event>`. The transaction has this key if no period is granted.
   */
  readonly changeKey: string
}

export interface FollowedPlan {
  /** The transaction of the change; undefined if nothing changed. */
  readonly transaction: Transaction | undefined
  /** The account's credits before the change; undefined if this call changed nothing. */
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
 * The change of credits for a period that was granted before: the rest of the current period is removed, and the rest
 * of the target period is added.
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
 * Corrects the dates and the tier of a period that was granted before. A more expensive plan of the same period grants
 * its excess over the most expensive plan so far; a cheaper plan leaves at most its own allowance.
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
 * Sets an account's plan to the target. A period with a new key begins: allowance := plan, debt is repaid first,
 * top-ups are unchanged. A period that was granted before is only corrected. So reports of a subscription may come in
 * any order and number: the terms are those of the last call, and each period is granted once. If periods of several
 * subscriptions replace each other, each continues with its own rest. A repeated change returns its first answer; a
 * change without an effect writes nothing.
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
