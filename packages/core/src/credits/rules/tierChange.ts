import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { TierName } from "../../tiers/Tier.ts"
import { type RenewedBy, splitGrant } from "../Account.ts"
import { beginPeriod, PERIOD_FINGERPRINT, periodKey } from "./resetPeriod.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { decideOnce, type OnceRefusal, type Journal, post } from "./journal.ts"
import { InvalidAmount, SubscriptionNotFound } from "../errors.ts"
import type { LedgerAccount, Operation } from "./LedgerState.ts"
import { periodAt } from "./period.ts"
import type { Transaction } from "../Transaction.ts"

/**
 * A change of a person's plan. Allowances are whole credits a month, times are Unix milliseconds. `key` is the business
 * event, for example `first:<subscription>`, which the checkout and the first invoice of a subscription share; the key
 * of a renewal is that of its period. `lowest` is the tier of people without a subscription.
 */
export type TierChange =
  | {
      /** A new subscription, or a change of plan that begins a new period. */
      readonly _tag: "Subscribed"
      readonly key: string
      readonly tier: TierName
      readonly allowance: number
      readonly start: number
      /** The invoices of monthly subscriptions renew them; the monthly job renews annual ones. */
      readonly renewedBy: RenewedBy
    }
  | {
      /** A further period of a subscription was paid. */
      readonly _tag: "Renewed"
      readonly tier: TierName
      readonly allowance: number
      readonly start: number
      readonly end: number
    }
  | {
      /**
       * Another plan within the running period, which grants its excess over the most expensive plan of the period so
       * far. A cheaper plan takes no credits before the next period. If `lowest` is undefined, the change also applies
       * to people without a subscription.
       */
      readonly _tag: "Raised"
      readonly key: string
      readonly tier: TierName
      readonly lowest: TierName | undefined
      readonly allowance: number
    }
  | {
      /** A cheaper plan within the subscription, from the next period on. */
      readonly _tag: "Lowered"
      readonly key: string
      readonly tier: TierName
      readonly lowest: TierName
    }
  | {
      /** The subscription has ended. `allowance` is that of the lowest tier. */
      readonly _tag: "Ended"
      readonly key: string
      readonly lowest: TierName
      readonly allowance: number
    }
  | {
      /** An invoice was not paid: the credits stay, and none are granted. */
      readonly _tag: "PastDue"
      readonly key: string
    }

export type TierRefusal = OnceRefusal | SubscriptionNotFound

type Rule<Change> = (account: LedgerAccount, change: Change, key: string, now: number) => Journal

/** The effect of each change on an account: all rules of plans. */
const rules: { readonly [Tag in TierChange["_tag"]]: Rule<Extract<TierChange, { readonly _tag: Tag }>> } = {
  Subscribed: (account, { tier, allowance, start: anchor, renewedBy }, key, now) => {
    const { start, end } = periodAt(anchor, Math.max(anchor, now))
    return beginPeriod(
      { ...account, anchor, renewedBy, renewedUntil: undefined },
      { tier, allowance, start, end },
      key,
      now
    ).journal
  },
  /**
   * A renewal whose period does not start later than the account's period changes no credits: that period was granted
   * already, or is over.
   */
  Renewed: (account, change, key, now) =>
    change.start <= account.periodStart
      ? note(account, "reset", key, now)
      : beginPeriod(account, change, key, now).journal,
  Raised: (account, { tier, allowance }, key, now) => {
    const amount = beyondPeriod(account, allowance)
    const { added } = splitGrant(account, amount)
    const periodCredits = account.periodCredits + amount
    return post(
      { account: { ...account, tier, pendingTier: undefined, periodCredits }, transactions: [] },
      { type: "adjustment", amount, allowance: added, topup: 0, reference: key, at: now }
    )
  },
  Lowered: (account, { tier }, key, now) => note({ ...account, pendingTier: tier }, "adjustment", key, now),
  Ended: (account, { allowance, lowest }, key, now) => {
    // The new period starts later than the period that ends, so that holds of the ended period are recognized by their
    // `periodStart`.
    const anchor = Math.max(now, account.periodStart + 1)
    const { start, end } = periodAt(anchor, anchor)
    const free = account.allowance - account.heldAllowance
    const lost = Math.min(free, allowance) - free
    const freed: LedgerAccount = {
      ...account,
      tier: lowest,
      pendingTier: undefined,
      renewedBy: "schedule",
      renewedUntil: undefined,
      anchor,
      periodStart: start,
      nextResetAt: end,
      periodCredits: allowance
    }
    return post(
      { account: freed, transactions: [] },
      { type: "reset", amount: lost, allowance: lost, topup: 0, reference: key, at: now }
    )
  },
  PastDue: (account, _change, key, now) => note(account, "adjustment", key, now)
}

/**
 * A plan's excess over the most expensive plan of the running period; zero if the plan is not more expensive. Repeated
 * changes up and down therefore grant nothing more.
 */
const beyondPeriod = (account: LedgerAccount, allowance: number): number =>
  Math.max(0, allowance - account.periodCredits)

/** Writes a transaction that moves no credits, so that the change is in the history and its key is stored. */
const note = (account: LedgerAccount, type: "reset" | "adjustment", reference: string, at: number): Journal =>
  post({ account, transactions: [] }, { type, amount: 0, allowance: 0, topup: 0, reference, at })

export const tierChangeKey = (userId: UserId, change: TierChange): string =>
  change._tag === "Renewed" ? periodKey(userId, change.start) : change.key

/** A description of the request, without the parts that may differ between two events about the same fact. */
const fingerprintOf = (change: TierChange): string => {
  switch (change._tag) {
    case "Renewed":
      return PERIOD_FINGERPRINT
    case "Raised":
      return `raised ${change.tier} ${change.allowance}`
    case "Subscribed":
    case "Lowered":
      return `${change._tag.toLowerCase()} ${change.tier}`
    case "Ended":
    case "PastDue":
      return change._tag.toLowerCase()
  }
}

const wrong = (account: LedgerAccount, change: TierChange): string | undefined => {
  const allowance = "allowance" in change ? change.allowance : 0
  if (!Number.isSafeInteger(allowance) || allowance < 0) return "it must be a whole number of credits, 0 or more"
  const isRaised = change._tag === "Raised"
  const stays = account.topup + (isRaised ? account.allowance : account.heldAllowance)
  const comes = isRaised ? beyondPeriod(account, allowance) : allowance
  return comes > MAX_CREDITS - stays ? `an account holds at most ${MAX_CREDITS} credits` : undefined
}

/**
 * Returns true for a change within a subscription if the person has no subscription: it has ended, or has not been
 * reported yet.
 */
const isOfNobody = (change: TierChange, { tier }: LedgerAccount): boolean =>
  (change._tag === "Raised" || change._tag === "Lowered") && tier === change.lowest

/** Changes a person's plan, once for the key of the change. */
export const changeTier = (userId: UserId, change: TierChange): Operation<Transaction, TierRefusal> => {
  const key = tierChangeKey(userId, change)
  return {
    name: "changeTier",
    userId,
    reads: { key },
    decide: (view, now) =>
      decideOnce<InvalidAmount | SubscriptionNotFound>(view, {
        userId,
        key,
        fingerprint: fingerprintOf(change),
        now,
        post: (account) => {
          if (isOfNobody(change, account)) return Result.fail(new SubscriptionNotFound({ userId }))
          const reason = wrong(account, change)
          if (reason !== undefined) return Result.fail(new InvalidAmount({ reason }))
          const rule = rules[change._tag] as Rule<TierChange>
          return Result.succeed(rule(account, change, key, now))
        }
      })
  }
}
