import type { UserId } from "../../identity/UserId.ts"
import type { Cursor } from "../../storage/Cursor.ts"

export interface VerifyInput {
  /** The maximum number of accounts. */
  readonly limit: number
  /** The `next` of the previous chunk. */
  readonly after: Cursor | undefined
  /** Only the account of this person; all accounts unless given. */
  readonly userId?: UserId | undefined
  /**
   * Unix milliseconds: transactions from before this time are not checked. Checked are later transactions, open holds,
   * and every account against its newest transaction. If undefined, everything is checked.
   */
  readonly since?: number | undefined
}

/**
 * The names of the compared numbers. The last six are only for storage that other programs can write: digests, and rows
 * that only a database counts.
 */
export type Invariant =
  | "sum of amounts"
  | "sum of allowance amounts"
  | "sum of topup amounts"
  | "number of transactions"
  | "transactions of each type"
  | "balances after each transaction"
  | "tier, dates and renewal"
  | "held allowance"
  | "held topup"
  | "open holds"
  | "number of open holds"
  | "held by each kind of source"
  | "charged to each kind of source on the last day"
  | "number of ended holds"
  | "free credits beside a debt"
  | "keys without their transaction"
  | "keys that contradict their transaction"
  | "transactions without their key"
  | "receipts that contradict their transaction"
  | "keys that are open and ended"
  | "transactions not as they were written"
  | "holds not as they were written"
  | "rows without an account"
  | "transactions beyond the newest"
  | "number of accounts"
  | "sums of usage"
  | "purchases that contradict their transactions"
  | "transactions without their purchase"

/** A difference between an account and its rows: the value computed from the rows, and the stored value. */
export interface Difference {
  /** "*" if it concerns all accounts together. */
  readonly userId: UserId
  readonly invariant: Invariant
  readonly expected: number
  readonly found: number
}

export interface VerifyChunk {
  readonly accounts: number
  readonly differences: ReadonlyArray<Difference>
  /** The position of the next chunk; undefined after the last one. */
  readonly next: Cursor | undefined
}

/**
 * Matches the reference of a row that follows from another operation: it contains the key of that operation, and has no
 * key of its own.
 */
export const SIDE_REFERENCE = /^(repaid|expired|moved):(.*)$/s
