/** The number of accounts from which the callers choose. */
export interface Load {
  readonly name: string
  readonly accounts: number
}

/** One implementation of a ledger, measured beside others. All work on accounts numbered from 0. */
export interface Contender {
  readonly name: string
  /** Reserves and then settles on an account: two transactions, the second after the first has been answered. */
  readonly pair?: (account: number) => Promise<void>
  /** Runs its own loop in place of `pair`; returns the pairs completed in about `milliseconds` by `callers`. */
  readonly drive?: (load: Load, callers: number, milliseconds: number) => Promise<number>
  /** Rejects if the contender's own rows do not add up. */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

export const ACCOUNTS = 10_000
/** Credits of each account at the beginning, more than any run can spend. */
export const FUNDS = 1_000_000_000_000
/** The reserved amount of a pair, and its actual cost. */
export const RESERVED = 40
export const CHARGED = 25
/** Connections of a contender that is not being measured are closed, so that all of them fit on one server. */
export const IDLE_MS = 1_000
