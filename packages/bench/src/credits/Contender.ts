/** A load: its name, and the number of accounts among which the callers choose. */
export interface Load {
  readonly name: string
  readonly accounts: number
}

/**
 * One implementation of a ledger, which is compared with others. All of them work on accounts that are numbered from 0.
 */
export interface Contender {
  readonly name: string
  /**
   * Reserves credits of an account and then charges for them: two transactions, the second after the answer to the
   * first.
   */
  readonly pair?: (account: number) => Promise<void>
  /**
   * Runs a loop of its own in place of `pair`. Returns the number of pairs that `callers` callers completed in about
   * `milliseconds`.
   */
  readonly drive?: (load: Load, callers: number, milliseconds: number) => Promise<number>
  /** Rejects if the rows of this contender do not add up. */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

export const ACCOUNTS = 10_000
/** The credits of each account at the beginning: more than any run can spend. */
export const FUNDS = 1_000_000_000_000
/** The reserved amount of a pair, and the amount that is then charged. */
export const RESERVED = 40
export const CHARGED = 25
/**
 * The time after which idle connections are closed. The contenders that are not being measured then hold no
 * connections, so that all contenders can use one server.
 */
export const IDLE_MS = 1_000
