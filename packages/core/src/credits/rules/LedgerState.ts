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

/** An account with what keeps its writes apart. */
export interface LedgerAccount extends Account, DayUsage {
  /** Counts the writes of this account, from 1. A write is valid only on the version it was decided from. */
  readonly version: number
  /** The number of its newest transaction; they are numbered from 1 without gaps. */
  readonly transactionCount: number
  /** The number of its holds that have not ended. */
  readonly openHolds: number
  /** The number of transactions of each type, and the newest of each. */
  readonly byType: TransactionCounts
  /** The number of the transaction that contains the current tier, dates and renewal. */
  readonly termsTransaction: number
  /** Holds ever opened, and those of them that have ended. */
  readonly holdsOpened: number
  readonly holdsEnded: number
}

/** A hold that has not ended, with the values that its end needs. */
export interface OpenHold {
  readonly hold: Hold
  /** The spender of the credits. */
  readonly source: Spender
  /** The request under the key, in words: a request under the same key with other words is refused. */
  readonly fingerprint: string
  /** Names the call that opened the hold, so that this call, sent again after a lost answer, is no replay. */
  readonly reservationId: string
  readonly draft: ReceiptDraft
  /** The delivered usage at the last renewal. */
  readonly outputTokens: number
}

/** A business key whose operation is done, and its first answer. */
export interface IdempotencyRecord {
  readonly key: string
  readonly fingerprint: string
  /** Unix milliseconds. */
  readonly at: number
  /** If the key named a hold. */
  readonly hold: Hold | undefined
  /** The transaction that answers the key; none if a hold was released. */
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
  /** Keys of holds that ended. */
  readonly closed: ReadonlyArray<string>
  readonly transactions: ReadonlyArray<Transaction>
  readonly records: ReadonlyArray<IdempotencyRecord>
  /** Purchases as they stand now, those that were granted or corrected. */
  readonly purchases: ReadonlyArray<PurchaseState>
}

/** Why an operation was not done; nothing changed. */
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

/** The answer and the changes of an operation. Without changes it only answers. */
export interface Decision<A, E extends Refusal> {
  readonly answer: Result.Result<A, E>
  readonly changes: Changes | undefined
}

/** The rows of its account that an operation reads, as data: a ledger loads them before it decides. */
export interface Reads {
  /** The business key whose hold or idempotency record it needs to see. */
  readonly key?: string | undefined
  /** A second one. */
  readonly secondKey?: string | undefined
  /** The charge of the purchase it needs to see. */
  readonly charge?: string | undefined
}

/**
 * One operation on one account: a pure function from the current state and the time of the ledger's clock in Unix
 * milliseconds to an answer and changes. Its identifiers were fixed by the caller, so that deciding it again on the
 * same state at the same time returns the same decision.
 */
export interface Operation<A, E extends Refusal> {
  readonly name: string
  readonly userId: UserId
  readonly reads: Reads
  readonly decide: (view: View, now: number) => Decision<A, E>
  /**
   * Written in the commit of the operation unless that is refused, also if the operation changes nothing. Safe to
   * repeat, as the operation is.
   */
  readonly companion?: Companion | undefined
  /** The span in which it runs, as a `traceparent`; the events of its changes continue that trace. */
  readonly traceparent?: string | undefined
  /** Called if its last decision was not written, because another process had changed the account. */
  readonly onMissed?: (() => void) | undefined
}
