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

/** A selection of an account's transactions, newest first. */
export interface HistoryInput {
  readonly userId: UserId
  /** Transactions on the page, at most. */
  readonly limit: number
  /** The number of the newest transactions to leave out. */
  readonly offset: number
  /** Only transactions of this type; an unknown type matches nothing. */
  readonly type?: string | undefined
  /**
   * Only this many of the oldest matching transactions: the `next` of the previous page, so that pages have neither
   * gaps nor repetitions, however many transactions are written meanwhile. All of them unless given.
   */
  readonly upto?: number | undefined
}

export interface HistoryPage {
  /** Newest first. */
  readonly transactions: ReadonlyArray<Transaction>
  /** The number of matching transactions, from the account's own counts. */
  readonly total: number
  /**
   * The number of matching transactions older than this page: the `upto` of the next page. Undefined on the last one.
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
 * For every account, at any moment: each bucket >= 0; held part of a bucket <= the bucket; nothing is free while there
 * is debt; the sum of the transactions equals `allowance + topup - debt`; the sum of open holds equals the held parts;
 * no hold ends twice.
 */
export class CreditLedger extends Context.Service<
  CreditLedger,
  {
    /**
     * The time of holds, sweeps and periods, in Unix milliseconds, by the clock that all processes share: the
     * database's if there is one, even if this process has another time.
     */
    readonly now: Effect.Effect<number, StorageFailed>
    /**
     * Runs one operation as one transaction, or as part of the surrounding unit of work: reads the account, decides,
     * and writes the changes only if the account has not changed since it was read; otherwise it decides again. Safe to
     * repeat: the same business key returns the first answer again, and is refused with `KeyConflict` if its
     * fingerprint differs. A refusal is a failure that leaves nothing behind and does not undo a unit of work around
     * it.
     *
     * An operation that was sent is not interrupted before its answer has arrived. So a caller who must not lose a hold
     * reserves in an uninterruptible region and releases in the finalizer.
     */
    run<A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E | StorageFailed>
    /**
     * Records how far the replies of open holds have come, and lets the holds live on. Progress and expiry never move
     * backwards. Returns how many were renewed, and which are gone: those have ended, and keep nothing any more. Holds
     * that another call is just writing are left out of both.
     */
    renew(input: RenewInput): Effect.Effect<Renewed, StorageFailed>
    /**
     * The account as this process wrote it last, if it seems to be the only one to write it; it may be another by now.
     * A decision that relies on it has to be proven by a write (`reserveOnTier`).
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
    /** The transactions that answer these business keys, by key, of those of this user that exist. */
    transactions(
      userId: UserId,
      keys: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, Transaction>, StorageFailed>
    /** A page of an account's transactions, in time that depends neither on its place nor on the account's age. */
    history(input: HistoryInput): Effect.Effect<HistoryPage, AccountNotFound | StorageFailed>
    /** The charges of some days, by day, spender and model, in that order. Nothing if the account does not exist. */
    usage(input: UsageInput): Effect.Effect<ReadonlyArray<UsageRow>, StorageFailed>
  }
>()("@parley/core/credits/CreditRecords") {}

/** The transaction that answers a business key; undefined if there is none, or not for this user. */
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
     * Ends holds that were not renewed in time, those of dead processes: charged for the input and the output recorded
     * last, or released if nothing was delivered. Holds that another call works on are left to the next sweep.
     */
    sweep(input: SweepInput): Effect.Effect<Swept, StorageFailed>
    /** Returns the next range with accounts that are due for a reset; undefined after the last one. */
    due(input: DueInput): Effect.Effect<ResetRange | undefined, StorageFailed>
    /**
     * Begins the running period of the accounts of a range that are due: allowance := plan, in one transaction. A
     * period is granted once, by a reset or by a paid invoice, under the key that both share. Accounts that are just
     * being written are left out and counted.
     */
    reset(input: ResetInput): Effect.Effect<ResetChunk, StorageFailed>
    /**
     * Recomputes some of the accounts from their rows, in the order of their users, and lists the differences. Changes
     * nothing, and may run beside all other work. Fails with `InvalidInput` if `after` is not a cursor of this store.
     */
    verify(input: VerifyInput): Effect.Effect<VerifyChunk, InvalidInput | StorageFailed>
    /**
     * The number of accounts that are, now or from their next period on, on tiers that are not among `known`, by tier
     * in the order of their names; closed accounts are left out. If all tiers are known, it takes the same time for any
     * number of accounts.
     */
    missingTiers(known: ReadonlyArray<TierName>): Effect.Effect<ReadonlyArray<TierCount>, StorageFailed>
  }
>()("@parley/core/credits/CreditUpkeep") {}

/** The three ports of a ledger, which one adapter implements together. */
export type CreditPorts = CreditLedger | CreditRecords | CreditUpkeep
