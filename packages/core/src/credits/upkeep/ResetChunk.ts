import type { Cursor } from "../../storage/Cursor.ts"
import type { TierName } from "../../tiers/Tier.ts"

/** Selects the next range of accounts that are due. */
export interface DueInput {
  /** Unix milliseconds: an account is due if its next period has begun by this time. */
  readonly asOf: number
  /** The previous range; undefined for the first. */
  readonly before: ResetRange | undefined
  /** Only accounts of this range; all unless given. */
  readonly within?: ResetRange | undefined
  /** The maximum number of due accounts in the range. */
  readonly limit: number
}

/** A range of accounts that are consecutive in the ledger's order. */
export type ResetRange = Cursor

/** The input for one chunk of the monthly reset. */
export interface ResetInput {
  /**
   * Unix milliseconds: an account is due if its next period has begun by this time; it gets the period that runs at
   * this time.
   */
  readonly asOf: number
  /** Monthly credits of each tier. Accounts on other tiers are left out, because their allowance is unknown. */
  readonly allowances: Readonly<Record<TierName, number>>
  readonly range: ResetRange
  /** True: counts the effects, and changes nothing. */
  readonly dryRun: boolean
}

/** The result of a reset for the accounts that have a given tier after it. */
export interface TierReset {
  readonly accounts: number
  /** Granted credits, including those that repaid debt. */
  readonly granted: number
  /** The part of these credits that repaid debt. */
  readonly repaid: number
  /** Credits of the previous periods that were neither spent nor held. */
  readonly expired: number
}

export type TierResets = Readonly<Record<TierName, TierReset>>

export interface ResetChunk {
  readonly tiers: TierResets
  /** Accounts that another call was writing at the moment, or whose tier has no allowance: they are still due. */
  readonly busy: number
}

const NOTHING: TierReset = { accounts: 0, granted: 0, repaid: 0, expired: 0 }

/** The empty report of a reset, with a zero count for each of these tiers. */
export const noResets = (allowances: ResetInput["allowances"]): TierResets =>
  Object.fromEntries(Object.keys(allowances).map((tier) => [tier, NOTHING]))

/** Adds two reports. */
export const addResets = (a: TierResets, b: TierResets): TierResets => ({
  ...a,
  ...Object.fromEntries(Object.entries(b).map(([tier, reset]) => [tier, addTier(a[tier] ?? NOTHING, reset)]))
})

const addTier = (a: TierReset, b: TierReset): TierReset => ({
  accounts: a.accounts + b.accounts,
  granted: a.granted + b.granted,
  repaid: a.repaid + b.repaid,
  expired: a.expired + b.expired
})

/** The number of accounts, all tiers together. */
export const resetCountOf = (tiers: TierResets): number =>
  Object.values(tiers).reduce((sum, { accounts }) => sum + accounts, 0)
