import { TIER_NAMES, type TierName } from "../tiers/Tier.ts"

/** One chunk of the monthly reset. */
export interface ResetInput {
  /** Unix milliseconds: accounts whose next period has begun by then are due, and get the period that then runs. */
  readonly asOf: number
  /** Monthly credits of each tier. */
  readonly allowances: Readonly<Record<TierName, number>>
  /** Accounts at most. */
  readonly limit: number
  /** Where the chunk before ended. */
  readonly after: ResetCursor | undefined
  /** Counts what would be done, and does nothing. */
  readonly dryRun: boolean
}

/** A place in the order of the accounts that are due; means something to the ledger that gave it alone. */
export type ResetCursor = string

/** What a reset did to the accounts of one tier, the tier they have afterwards. */
export interface TierReset {
  readonly accounts: number
  /** Credits given, those that repaid debt included. */
  readonly granted: number
  /** Of these, what repaid debt. */
  readonly repaid: number
  /** Credits of the periods before that nobody had used or holds. */
  readonly expired: number
}

export type TierResets = Readonly<Record<TierName, TierReset>>

export interface ResetChunk {
  readonly tiers: TierResets
  /** Accounts that somebody else was just writing: they are still due. */
  readonly busy: number
  /** Where the next chunk begins; undefined after the last one. */
  readonly next: ResetCursor | undefined
}

const NOTHING: TierReset = { accounts: 0, granted: 0, repaid: 0, expired: 0 }

export const NOTHING_RESET: TierResets = { free: NOTHING, pro: NOTHING, business: NOTHING }

/** Two reports as one. */
export const addResets = (a: TierResets, b: TierResets): TierResets => ({
  free: addTier(a.free, b.free),
  pro: addTier(a.pro, b.pro),
  business: addTier(a.business, b.business)
})

const addTier = (a: TierReset, b: TierReset): TierReset => ({
  accounts: a.accounts + b.accounts,
  granted: a.granted + b.granted,
  repaid: a.repaid + b.repaid,
  expired: a.expired + b.expired
})

/** Accounts of all tiers. */
export const resetCountOf = (tiers: TierResets): number =>
  TIER_NAMES.reduce((sum, tier) => sum + tiers[tier].accounts, 0)
