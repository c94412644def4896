import type { UserId } from "../../identity/UserId.ts"
import type { TierName } from "../../tiers/Tier.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { type Journal, post, newest, explainTerms } from "./journal.ts"
import type { LedgerAccount, Changes, IdempotencyRecord } from "./LedgerState.ts"
import { periodAt } from "./period.ts"
import type { ResetInput, TierResets } from "../upkeep/ResetChunk.ts"

/** The key of the business event that a person got the allowance of a period; `start` in Unix milliseconds. */
export const periodKey = (userId: UserId, start: number): string => `period:${userId}:${new Date(start).toISOString()}`

/**
 * The fingerprint of a period's key. It contains no amount, so that the second call returns the first grant, even if
 * prices have changed since.
 */
export const PERIOD_FINGERPRINT = "period"

/** A period that begins, with its tier and its allowance. Times in Unix milliseconds. */
export interface NewPeriod {
  readonly tier: TierName
  readonly allowance: number
  readonly start: number
  readonly end: number
}

/** An account in its new period, with the granted and expired credits. */
export interface BegunPeriod {
  readonly journal: Journal
  /** Granted credits, including those that repaid debt. */
  readonly granted: number
  readonly repaid: number
  readonly expired: number
}

/**
 * Begins a period: the free part of the old allowance expires, the new allowance repays debt first, and open holds keep
 * the credits of the old allowance until they end. Top-ups are unchanged. No account exceeds the maximum balance.
 */
export const beginPeriod = (
  account: LedgerAccount,
  { tier, allowance, start, end }: NewPeriod,
  reference: string,
  at: number
): BegunPeriod => {
  const expired = account.allowance - account.heldAllowance
  const repaid = Math.min(account.debt, allowance)
  const added = Math.min(allowance - repaid, MAX_CREDITS - account.heldAllowance - account.topup)
  const renewed = {
    ...account,
    tier,
    pendingTier: undefined,
    periodStart: start,
    nextResetAt: end,
    periodCredits: allowance
  }
  const journal = post(
    { account: renewed, transactions: [] },
    { type: "reset", amount: added + repaid - expired, allowance: added - expired, topup: 0, reference, at }
  )
  return { journal, granted: added + repaid, repaid, expired }
}

/**
 * The prefix of the reference of a row that changes only the dates, because the period's own key granted the allowance
 * before.
 */
const MOVED = "moved:"

/** Returns true if the account's next period has begun, is paid for, and is begun by the monthly job. */
export const isDue = ({ nextResetAt, renewedBy, renewedUntil = Infinity }: LedgerAccount, asOf: number): boolean =>
  renewedBy === "schedule" && nextResetAt <= asOf && nextResetAt < renewedUntil

/** The effect of a reset on one account. */
export interface ResetDecision {
  readonly changes: Changes
  readonly counted: TierResets
}

/**
 * Begins the period that runs at `asOf`, computed from the account's anchor: one period, even if several were missed.
 * If the key of the period was used before, its allowance was already granted: only the dates change, and a transaction
 * of 0 credits records that. Returns undefined for an account whose tier has no allowance; it stays due. This is the
 * only rule of resets; SQL repeats it for many accounts at once.
 */
export const decideReset = (
  account: LedgerAccount,
  recordOf: (key: string) => IdempotencyRecord | undefined,
  { asOf, allowances }: Pick<ResetInput, "asOf" | "allowances">,
  now: number
): ResetDecision | undefined => {
  const { start, end } = periodAt(account.anchor, Math.min(asOf, (account.renewedUntil ?? Infinity) - 1))
  const tier = account.pendingTier ?? account.tier
  const allowance = allowances[tier]
  if (allowance === undefined) return undefined
  const key = periodKey(account.userId, start)
  const written = { opened: [], closed: [], purchases: [] }
  const version = account.version + 1
  if (recordOf(key) !== undefined) {
    const periodCredits = Math.max(account.periodCredits, allowance)
    const moved = {
      ...account,
      tier,
      pendingTier: undefined,
      periodStart: start,
      nextResetAt: end,
      periodCredits,
      version
    }
    const reference = `${MOVED}${key}`
    const noted = post(
      { account: moved, transactions: [] },
      { type: "reset", amount: 0, allowance: 0, topup: 0, reference, at: now }
    )
    const changes = { ...written, ...noted, account: explainTerms(account, noted.account), records: [] }
    return { changes, counted: {} }
  }
  const begun = beginPeriod(account, { tier, allowance, start, end }, key, now)
  const record = { key, fingerprint: PERIOD_FINGERPRINT, at: now, hold: undefined, transaction: newest(begun.journal) }
  const { granted, repaid, expired, journal } = begun
  return {
    changes: {
      ...written,
      account: { ...explainTerms(account, journal.account), version },
      transactions: journal.transactions,
      records: [record]
    },
    counted: { [tier]: { accounts: 1, granted, repaid, expired } }
  }
}
