import type { Cursor } from "../../storage/Cursor.ts"
import type { TierName } from "../../tiers/Tier.ts"

/** Asks for the next range of accounts that are due. */
export interface DueInput {
  /** Unix milliseconds: accounts whose next period has begun by then are due. */
  readonly asOf: number
  /** The range before; none for the first one. */
  readonly before: ResetRange | undefined
  /** Only accounts of this range; all unless given. */
  readonly within?: ResetRange | undefined
  /** Due accounts in the range, at most. */
  readonly limit: number
}

/** A range of accounts that follow each other in the ledger's order. */
export type ResetRange = Cursor

/** One chunk of the monthly reset. */
export interface ResetInput {
  /** Unix milliseconds: accounts whose next period has begun by then are due, and get the period that then runs. */
  readonly asOf: number
  /** Monthly credits of each tier. Accounts on other tiers are left out, because their allowance is unknown. */
  readonly allowances: Readonly<Record<TierName, number>>
  readonly range: ResetRange
  /** Counts what would be done, and does nothing. */
  readonly dryRun: boolean
}

/** The result of a reset for the accounts of one tier, which is the tier after it. */
export interface TierReset {
  readonly accounts: number
  /** Granted credits, including those that repaid debt. */
  readonly granted: number
  /** The part of these credits that repaid debt. */
  readonly repaid: number
  /** Credits of the periods before that were neither used nor held. */
  readonly expired: number
}

export type TierResets = Readonly<Record<TierName, TierReset>>

export interface ResetChunk {
  readonly tiers: TierResets
  /** Accounts that another call was just writing, or whose tier has no allowance: they are still due. */
  readonly busy: number
}

const NOTHING: TierReset = { accounts: 0, granted: 0, repaid: 0, expired: 0 }

/** The report of a reset of these tiers that did nothing yet. */
export const noResets = (allowances: ResetInput["allowances"]): TierResets =>
  Object.fromEntries(Object.keys(allowances).map((tier) => [tier, NOTHING]))

/** Two reports as one. */
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

/** Accounts of all tiers. */
export const resetCountOf = (tiers: TierResets): number =>
  Object.values(tiers).reduce((sum, { accounts }) => sum + accounts, 0)
