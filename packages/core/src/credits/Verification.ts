import type { UserId } from "../identity/UserId.ts"

export interface VerifyInput {
  /** Accounts at most. */
  readonly limit: number
  /** The last account of the chunk before. */
  readonly after: UserId | undefined
}

/** What was compared. */
export type ProvenFact =
  | "sum of amounts"
  | "sum of allowance amounts"
  | "sum of topup amounts"
  | "number of transactions"
  | "balances after each transaction"
  | "held allowance"
  | "held topup"
  | "open holds"
  | "free credits beside a debt"
  | "keys without their transaction"
  | "transactions without their key"
  | "keys that are open and ended"
  | "rows without an account"

/** Where an account and its rows disagree: what follows from the rows, and what is stored. */
export interface Difference {
  readonly userId: UserId
  readonly fact: ProvenFact
  readonly expected: number
  readonly found: number
}

export interface VerifyChunk {
  readonly accounts: number
  readonly differences: ReadonlyArray<Difference>
  /** The last account of this chunk; undefined after the last chunk. */
  readonly next: UserId | undefined
}

/** References of rows that follow from another operation and have no key of their own. */
export const SIDE_REFERENCE = /^(repaid|expired):/
