import { Context, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { Account } from "./Account.ts"
import type { AdjustInput, DisputeInput, RefundInput } from "./Purchase.ts"
import { CreditLedger } from "./CreditLedger.ts"
import type { HoldNotFound } from "./errors.ts"
import {
  type GrantInput,
  grantOperation,
  type GrantRefusal,
  adjustOperation,
  disputeOperation,
  type PurchaseRefusal,
  refundOperation
} from "./rules/grantsAndCorrections.ts"
import { type OpenAccountInput, openOperation } from "./rules/openAndClose.ts"
import type { HoldEnd, OnOtherTier, ReleaseInput, Reserved, ReserveInput, SettleInput } from "./holds/Hold.ts"
import {
  releaseOperation,
  reserveOnTierOperation,
  reserveOperation,
  type ReserveRefusal,
  settleOperation,
  type SettleRefusal
} from "./rules/decideHold.ts"
import type { OnceRefusal } from "./rules/journal.ts"
import { type FollowedPlan, type FollowPlanInput, followPlanOperation } from "./rules/followPlan.ts"
import { type TakeFromPeriodInput, type TakenFromPeriod, takeFromPeriodOperation } from "./rules/takeFromPeriod.ts"
import { changeTierOperation, type TierChange, type TierRefusal } from "./rules/tierChange.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { Transaction } from "./Transaction.ts"

/**
 * What can be done to an account, by name, on any ledger. Every method is one transaction and safe to repeat: the same
 * business key gives the first answer again, and is refused with `KeyConflict` where its fingerprint differs. A refusal
 * leaves nothing behind: the same key may be tried again. None is interrupted once it was sent.
 */
export class CreditOperations extends Context.Service<
  CreditOperations,
  {
    /** Gives the account; on first sight opens it, with the allowance as its first `reset` transaction. */
    open(input: OpenAccountInput): Effect.Effect<Account, StorageFailed>
    /** Sets credits aside in one guarded write, before anything is spent. */
    reserve(input: ReserveInput): Effect.Effect<Reserved, ReserveRefusal | StorageFailed>
    /** The same where the account is on this tier; on another nothing is held, and the account is given as it is. */
    reserveOnTier(
      input: ReserveInput,
      tier: TierName
    ): Effect.Effect<Reserved | OnOtherTier, ReserveRefusal | StorageFailed>
    /** Ends a hold by charging what it really cost, at most what was held, and giving back the rest. */
    settle(input: SettleInput): Effect.Effect<HoldEnd, SettleRefusal | StorageFailed>
    /** Ends a hold without charging. */
    release(input: ReleaseInput): Effect.Effect<HoldEnd, HoldNotFound | StorageFailed>
    /** Adds credits. */
    grant(input: GrantInput): Effect.Effect<Transaction, GrantRefusal | StorageFailed>
    /**
     * Takes back what the refunded part of a purchase had bought, `floor(granted * refunded / paid)` in all, and gives
     * back what is refunded no more, whatever the order in which the cumulative refunds come: the one reported last
     * counts. More than there is becomes debt. Fails with `PurchaseNotFound` where no grant named the charge as its
     * payment (it may be reported again later), with `PurchaseConflict` where that purchase was another.
     */
    refund(input: RefundInput): Effect.Effect<Transaction, PurchaseRefusal | StorageFailed>
    /**
     * Takes back what a disputed purchase had bought, follows the amount of the dispute, and gives all back when it is
     * won. Fails as `refund` does.
     */
    dispute(input: DisputeInput): Effect.Effect<Transaction, PurchaseRefusal | StorageFailed>
    /** Corrects a balance by hand, with a reason. */
    adjust(input: AdjustInput): Effect.Effect<Transaction, OnceRefusal | StorageFailed>
    /**
     * Makes an account's plan what it is to be, whatever it was, and begins the period unless its key was used: reports
     * of a subscription may come in any order. Undefined where everything was so already.
     */
    followPlan(input: FollowPlanInput): Effect.Effect<FollowedPlan, OnceRefusal | StorageFailed>
    /**
     * Takes back credits of a period that is paid for no more, the allowance first, spent credits as debt, or returns
     * those that were taken. Undefined if there was nothing to move.
     */
    takeFromPeriod(input: TakeFromPeriodInput): Effect.Effect<TakenFromPeriod, OnceRefusal | StorageFailed>
    /** Does to an account what became of the person's plan. */
    changeTier(userId: UserId, change: TierChange): Effect.Effect<Transaction, TierRefusal | StorageFailed>
  }
>()("@parley/core/credits/CreditOperations") {
  static readonly layer = Layer.effect(
    CreditOperations,
    Effect.map(CreditLedger, (ledger) => creditOperations(ledger))
  )
}

/** The operations over a ledger. */
export const creditOperations = ({ run }: Pick<CreditLedger["Service"], "run">): CreditOperations["Service"] =>
  CreditOperations.of({
    open: (input) => run(openOperation(input)),
    reserve: (input) =>
      Effect.gen(function* () {
        const ids = yield* IdGenerator
        return yield* run(reserveOperation(input, yield* ids.next))
      }),
    reserveOnTier: (input, tier) =>
      Effect.flatMap(IdGenerator, (ids) =>
        Effect.flatMap(ids.next, (id) => run(reserveOnTierOperation(input, tier, id)))
      ),
    settle: (input) => run(settleOperation(input)),
    release: (input) => run(releaseOperation(input)),
    grant: (input) => run(grantOperation(input)),
    refund: (input) => run(refundOperation(input)),
    dispute: (input) => run(disputeOperation(input)),
    adjust: (input) => run(adjustOperation(input)),
    followPlan: (input) => run(followPlanOperation(input)),
    takeFromPeriod: (input) => run(takeFromPeriodOperation(input)),
    changeTier: (userId, change) => run(changeTierOperation(userId, change))
  })
