import { Context, Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { InvalidInput } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { Account } from "./Account.ts"
import type { AccountNotFound } from "./errors.ts"
import type { Renewed, RenewInput, SweepInput, Swept } from "./holds/Hold.ts"
import type { Operation, Refusal } from "./rules/LedgerState.ts"
import type { Transaction } from "./Transaction.ts"
import type { UsageInput, UsageRow } from "./UsageReport.ts"
import type { DueInput, ResetChunk, ResetInput, ResetRange } from "./upkeep/ResetChunk.ts"
import type { VerifyChunk, VerifyInput } from "./upkeep/Verification.ts"

/** Selects transactions of an account, newest first. */
export interface HistoryInput {
  readonly userId: UserId
  /** The maximum number of transactions on the page. */
  readonly limit: number
  /** The number of the newest transactions to leave out. */
  readonly offset: number
  /** Only transactions of this type are returned; none if the type is unknown. */
  readonly type?: string | undefined
  /**
   * Only this number of the oldest matching transactions is considered. A caller passes the `next` of the previous
   * page, so that pages have neither gaps nor repetitions while transactions are written. All of them unless given.
   */
  readonly upto?: number | undefined
}

export interface HistoryPage {
  /** Newest first. */
  readonly transactions: ReadonlyArray<Transaction>
  /** The number of matching transactions, from the counts that the account stores. */
  readonly total: number
  /**
   * The number of matching transactions that are older than this page: the `upto` of the next page. Undefined on the
   * last page.
   */
  readonly next: number | undefined
}

/** The number of accounts on a tier. */
export interface TierCount {
  readonly tier: TierName
  readonly accounts: number
}

/**
 * Runs operations on accounts, holds and an append-only list of transactions. An operation is a value:
 * `run(reserve(...))`.
 *
 * For every account, at any moment: each bucket >= 0; held part of a bucket <= the bucket; no credits are free while
 * there is debt; the sum of the transactions equals `allowance + topup - debt`; the sum of open holds equals the held
 * parts; no hold ends twice.
 */
export class CreditLedger extends Context.Service<
  CreditLedger,
  {
    /**
     * The time of holds, sweeps and periods, in Unix milliseconds, by the clock that all processes share: the clock of
     * the database if there is one, even if this process has another time.
     */
    readonly now: Effect.Effect<number, StorageFailed>
    /**
     * Runs one operation as one transaction, or as part of the surrounding unit of work: reads the account, decides,
     * and writes the changes only if the account has not changed since the read; otherwise reads and decides again.
     * Safe to repeat: a second call with the same business key returns the first answer, and fails with `KeyConflict`
     * if its fingerprint differs. A refusal is a failure that changes nothing and does not undo a surrounding unit of
     * work.
     *
     * Interruption has no effect on an operation that was sent: the call returns when the answer has arrived. A caller
     * who must not lose a hold therefore reserves in an uninterruptible region and releases in the finalizer.
     */
    run<A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E | StorageFailed>
    /**
     * Records the progress of the replies of open holds, and extends the lifetime of the holds. Progress and expiry
     * never move backwards. Returns the number of renewed holds, and the holds that are gone because they have ended.
     * Holds that another call is writing at the moment are in neither.
     */
    renew(input: RenewInput): Effect.Effect<Renewed, StorageFailed>
    /**
     * Returns the account as this process last wrote it, if this process seems to be its only writer; undefined
     * otherwise. The stored account may have changed since, so a write has to prove any decision that relies on it
     * (`reserveOnTier`).
     */
    recall(userId: UserId): Account | undefined
  }
>()("@parley/core/credits/CreditLedger") {}

/** Reads the records of the ledger. */
export class CreditRecords extends Context.Service<
  CreditRecords,
  {
    /** Returns an account that exists. */
    account(userId: UserId): Effect.Effect<Account, AccountNotFound | StorageFailed>
    /**
     * Returns the transactions of this user that answer the given business keys, by key; keys without one are left out.
     */
    transactions(
      userId: UserId,
      keys: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, Transaction>, StorageFailed>
    /**
     * Returns a page of an account's transactions. The time of the read depends neither on the position of the page nor
     * on the age of the account.
     */
    history(input: HistoryInput): Effect.Effect<HistoryPage, AccountNotFound | StorageFailed>
    /**
     * Returns the charges of a range of days, by day, spender and model, in that order; an empty list if the account
     * does not exist.
     */
    usage(input: UsageInput): Effect.Effect<ReadonlyArray<UsageRow>, StorageFailed>
  }
>()("@parley/core/credits/CreditRecords") {}

/** Returns the transaction that answers a business key; undefined if this user has none. */
export const transactionOf = (
  records: Pick<CreditRecords["Service"], "transactions">,
  userId: UserId,
  key: string
): Effect.Effect<Transaction | undefined, StorageFailed> =>
  Effect.map(records.transactions(userId, [key]), (found) => found.get(key))

/** Does the work that concerns many accounts at once. */
export class CreditUpkeep extends Context.Service<
  CreditUpkeep,
  {
    /**
     * Ends holds that were not renewed in time, because their processes died: charges the input and output recorded
     * last, or releases the hold if no output was delivered. Leaves holds that another call is writing to the next
     * sweep.
     */
    sweep(input: SweepInput): Effect.Effect<Swept, StorageFailed>
    /** Returns the next range of accounts whose reset is due; undefined after the last range. */
    due(input: DueInput): Effect.Effect<ResetRange | undefined, StorageFailed>
    /**
     * Begins the running period of the due accounts of a range, in one transaction: allowance := plan. A reset and a
     * paid invoice grant a period under the same key, so only the first of them grants it. Accounts that another call
     * is writing at the moment are left out and counted.
     */
    reset(input: ResetInput): Effect.Effect<ResetChunk, StorageFailed>
    /**
     * Recomputes a number of accounts from their rows, in the order of their users, and lists the differences. Changes
     * nothing, and may run beside all other work. Fails with `InvalidInput` if `after` is not a cursor of this store.
     */
    verify(input: VerifyInput): Effect.Effect<VerifyChunk, InvalidInput | StorageFailed>
    /**
     * Returns the number of accounts on each tier that is not among `known`, in the order of the tiers' names; an
     * account counts if it is on such a tier now or will be from its next period on. Closed accounts are left out. If
     * all tiers are known, the time of the read does not depend on the number of accounts.
     */
    missingTiers(known: ReadonlyArray<TierName>): Effect.Effect<ReadonlyArray<TierCount>, StorageFailed>
  }
>()("@parley/core/credits/CreditUpkeep") {}

/** The three ports of a ledger, which one adapter implements together. */
export type CreditPorts = CreditLedger | CreditRecords | CreditUpkeep
