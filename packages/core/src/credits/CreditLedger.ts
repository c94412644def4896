import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { Account } from "./Account.ts"
import type { AdjustInput, DisputeInput, RefundInput } from "./Correction.ts"
import type { AccountNotFound, HoldNotFound, InvalidAmount, KeyConflict } from "./errors.ts"
import type { GrantInput, OpenAccountInput } from "./Grant.ts"
import type { HoldEnd, ReleaseInput, Reserved, ReserveInput, SettleInput } from "./holds/Hold.ts"
import type { Renewed, RenewInput } from "./holds/Renewal.ts"
import type { SweepInput, Swept } from "./holds/Sweep.ts"
import type { GrantRefusal } from "./rules/decideAccount.ts"
import type { PurchaseRefusal } from "./rules/decideCorrection.ts"
import type { TierChange, TierRefusal } from "./rules/tierChange.ts"
import type { Transaction } from "./Transaction.ts"
import type { DueInput, ResetChunk, ResetInput, ResetRange } from "./upkeep/ResetChunk.ts"
import type { VerifyChunk, VerifyInput } from "./upkeep/Verification.ts"

export interface HistoryInput {
  readonly userId: UserId
  readonly limit: number
  readonly offset: number
  readonly type: string | undefined
}

/**
 * Accounts, holds and an append-only list of transactions. Every method is one transaction and safe to repeat: the same
 * business key gives the first answer again, and is refused with `KeyConflict` where the fingerprint differs. A refusal
 * leaves nothing behind: the same key may be tried again.
 *
 * For every account, at any moment: each bucket >= 0; held part of a bucket <= the bucket; nothing is free while there
 * is debt; the sum of the transactions equals `allowance + topup - debt`; the sum of open holds equals the held parts;
 * no hold ends twice.
 *
 * A call that was sent is not interrupted: its answer comes first. So a caller who wants to own a hold for certain
 * reserves in an uninterruptible region and releases in the finalizer.
 */
export class CreditLedger extends Context.Service<
  CreditLedger,
  {
    /**
     * The time that holds, sweeps and periods go by, in Unix milliseconds: of the clock that all processes share, which
     * is the database's where there is one, whatever the clock of this process says.
     */
    readonly now: Effect.Effect<number, StorageFailed>
    /** Gives the account; on first sight opens it, with the allowance as its first `reset` transaction. */
    open(input: OpenAccountInput): Effect.Effect<Account, StorageFailed>
    /** Gives an account that exists. */
    account(userId: UserId): Effect.Effect<Account, AccountNotFound | StorageFailed>
    /** Sets credits aside in one guarded write, before anything is spent. */
    reserve(input: ReserveInput): Effect.Effect<Reserved, AccountNotFound | KeyConflict | InvalidAmount | StorageFailed>
    /** Ends a hold by charging what it really cost, at most what was held, and giving back the rest. */
    settle(input: SettleInput): Effect.Effect<HoldEnd, HoldNotFound | InvalidAmount | StorageFailed>
    /** Ends a hold without charging. */
    release(input: ReleaseInput): Effect.Effect<HoldEnd, HoldNotFound | StorageFailed>
    /**
     * Records how far the replies of open holds have come, and lets the holds live on. Progress and expiry never move
     * backwards. Gives how many were renewed, and which are gone: those have ended, and keep nothing any more. Holds that
     * somebody else is just writing are left out of both.
     */
    renew(input: RenewInput): Effect.Effect<Renewed, StorageFailed>
    /**
     * Ends holds that nobody renewed in time, those of dead processes: charged for the input and the output recorded
     * last, or released where nothing was delivered. Holds that somebody else works on are left to the next sweep.
     */
    sweep(input: SweepInput): Effect.Effect<Swept, StorageFailed>
    /** Gives the next range with accounts that are due for a reset; undefined after the last one. */
    due(input: DueInput): Effect.Effect<ResetRange | undefined, StorageFailed>
    /**
     * Begins the running period of the accounts of a range that are due: allowance := plan, in one transaction. A period
     * is granted once, whoever comes first, under the key it shares with a paid invoice. Accounts that are just being
     * written are left out and counted.
     */
    reset(input: ResetInput): Effect.Effect<ResetChunk, StorageFailed>
    /** Adds credits. */
    grant(input: GrantInput): Effect.Effect<Transaction, GrantRefusal | StorageFailed>
    /**
     * Takes back what the refunded part of a purchase had bought, `floor(granted * refunded / paid)` in all, and gives
     * back what is refunded no more, whatever the order in which the cumulative refunds come: the one told last counts.
     * More than there is becomes debt. Fails with `PurchaseNotFound` where no grant named the charge as its payment (it
     * may be told again later), with `PurchaseConflict` where that purchase was another.
     */
    refund(input: RefundInput): Effect.Effect<Transaction, PurchaseRefusal | StorageFailed>
    /**
     * Takes back what a disputed purchase had bought, follows the amount of the dispute, and gives all back when it is
     * won. Fails as `refund` does.
     */
    dispute(input: DisputeInput): Effect.Effect<Transaction, PurchaseRefusal | StorageFailed>
    /** Corrects a balance by hand, with a reason. */
    adjust(
      input: AdjustInput
    ): Effect.Effect<Transaction, AccountNotFound | KeyConflict | InvalidAmount | StorageFailed>
    /** Does to an account what became of the person's plan. */
    changeTier(userId: UserId, change: TierChange): Effect.Effect<Transaction, TierRefusal | StorageFailed>
    /**
     * Recomputes some of the accounts from their rows, in the order of their users, and lists where they disagree.
     * Changes nothing, and may run beside everything else.
     */
    verify(input: VerifyInput): Effect.Effect<VerifyChunk, StorageFailed>
    /** The transaction that answers a business key; undefined where there is none, or not for this user. */
    transaction(userId: UserId, key: string): Effect.Effect<Transaction | undefined, StorageFailed>
    /** Newest first, with the count of all that match. An unknown type matches nothing. */
    history(
      input: HistoryInput
    ): Effect.Effect<
      { readonly transactions: ReadonlyArray<Transaction>; readonly total: number },
      AccountNotFound | StorageFailed
    >
  }
>()("@parley/core/credits/CreditLedger") {}
