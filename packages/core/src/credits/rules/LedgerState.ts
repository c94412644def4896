import type { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { Companion } from "../../storage/Companion.ts"
import type { Account } from "../Account.ts"
import type { Hold } from "../holds/Hold.ts"
import type {
  AccountNotFound,
  DailyCapReached,
  HoldNotFound,
  HoldsOpen,
  InvalidAmount,
  KeyConflict,
  PurchaseConflict,
  PurchaseNotFound,
  SubscriptionNotFound
} from "../errors.ts"
import type { ReceiptDraft, Transaction, TransactionCounts } from "../Transaction.ts"
import type { PurchaseState } from "../Purchase.ts"
import type { Spender, DayUsage } from "../Spender.ts"

/** An account with the version and the counts that the ledger needs to write it. */
export interface LedgerAccount extends Account, DayUsage {
  /**
   * The number of writes of this account. A write is valid only if the account still has the version from which it was
   * decided.
   */
  readonly version: number
  /** The number of the account's newest transaction; transactions are numbered from 1 without gaps. */
  readonly transactionCount: number
  /** The number of the account's holds that have not ended. */
  readonly openHolds: number
  /** The number of transactions of each type, and the number of the newest of each. */
  readonly byType: TransactionCounts
  /** The number of the transaction that contains the current tier, dates and renewal. */
  readonly termsTransaction: number
  /** The number of holds ever opened; `holdsEnded` is the number of those that have ended. */
  readonly holdsOpened: number
  readonly holdsEnded: number
}

/** A hold that has not ended, with the values that are needed to end it. */
export interface OpenHold {
  readonly hold: Hold
  /** The spender of the credits. */
  readonly source: Spender
  /** A description of the request under the key: another request under the same key is refused. */
  readonly fingerprint: string
  /**
   * Identifies the call that opened the hold, so that the same call, sent again after a lost answer, does not count as
   * a replay.
   */
  readonly reservationId: string
  readonly draft: ReceiptDraft
  /** The delivered output at the last renewal. */
  readonly outputTokens: number
}

/** A business key whose operation is done, and its first answer. */
export interface IdempotencyRecord {
  readonly key: string
  readonly fingerprint: string
  /** Unix milliseconds. */
  readonly at: number
  /** The hold, if the key named one. */
  readonly hold: Hold | undefined
  /** The transaction that answers the key; undefined if a hold was released. */
  readonly transaction: Transaction | undefined
}

/** The state of a business key: an open hold, or a finished operation. */
export interface KeyState {
  readonly open: OpenHold | undefined
  readonly record: IdempotencyRecord | undefined
}

/** The input of one operation: the account, and the related rows that it reads. */
export interface View extends KeyState {
  readonly account: LedgerAccount | undefined
  /** The state of the operation's second key. */
  readonly second: KeyState
  readonly purchase: PurchaseState | undefined
}

/** The changes of operations on one account, which must be written together or not at all. */
export interface Changes {
  readonly account: LedgerAccount
  readonly opened: ReadonlyArray<OpenHold>
  /** The keys of holds that ended. */
  readonly closed: ReadonlyArray<string>
  readonly transactions: ReadonlyArray<Transaction>
  readonly records: ReadonlyArray<IdempotencyRecord>
  /** The new states of the purchases that were granted or corrected. */
  readonly purchases: ReadonlyArray<PurchaseState>
}

/** The reason why an operation was refused; nothing changed. */
export type Refusal =
  | AccountNotFound
  | DailyCapReached
  | HoldNotFound
  | HoldsOpen
  | KeyConflict
  | InvalidAmount
  | PurchaseConflict
  | PurchaseNotFound
  | SubscriptionNotFound

/** The answer and the changes of an operation. An operation without changes only answers. */
export interface Decision<A, E extends Refusal> {
  readonly answer: Result.Result<A, E>
  readonly changes: Changes | undefined
}

/** Names the rows of the account that an operation needs: a ledger loads them before the operation decides. */
export interface Reads {
  /** The business key whose hold or idempotency record the operation needs. */
  readonly key?: string | undefined
  /** A second business key, if the operation needs one. */
  readonly secondKey?: string | undefined
  /** The charge of the purchase that the operation needs. */
  readonly charge?: string | undefined
}

/**
 * One operation on one account: a pure function from the current state and the time of the ledger's clock in Unix
 * milliseconds to an answer and changes. The caller has fixed its identifiers, so that deciding again on the same state
 * at the same time returns the same decision.
 */
export interface Operation<A, E extends Refusal> {
  readonly name: string
  readonly userId: UserId
  readonly reads: Reads
  readonly decide: (view: View, now: number) => Decision<A, E>
  /**
   * A further write in the commit of the operation, made even if the operation changes nothing, but not if it is
   * refused. Safe to repeat, like the operation itself.
   */
  readonly companion?: Companion | undefined
  /** The span of the operation, as a `traceparent`; the events of its changes continue that trace. */
  readonly traceparent?: string | undefined
  /** Called if the last decision was not written because another process had changed the account. */
  readonly onMissed?: (() => void) | undefined
}
