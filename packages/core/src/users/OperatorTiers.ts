import { Context, Effect, Layer } from "effect"
import { BillingStore } from "../billing/BillingStore.ts"
import { type ActionRefusal, afterActions, operationOf } from "../billing/inbox/creditActions.ts"
import { followAgain } from "../billing/decide/followPaidPlan.ts"
import { followedPeriod } from "../billing/FollowedPeriod.ts"
import { planOf } from "../billing/planOf.ts"
import type { AccountNotFound, InvalidAmount, KeyConflict } from "../credits/errors.ts"
import { CreditLedger, CreditRecords } from "../credits/CreditLedger.ts"
import { operatorPlan } from "../credits/CreditService.ts"
import { followPlan, type LeftPeriod } from "../credits/rules/followPlan.ts"
import { changeTier } from "../credits/rules/tierChange.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { unknownTier } from "../tiers/CatalogData.ts"
import type { UnknownTier } from "../tiers/errors.ts"
import type { Tier, TierName } from "../tiers/Tier.ts"

/** A person's tier, and whether an operator or payments determine it. */
export interface TierStanding {
  readonly tier: TierName
  /** True if an operator pinned the tier, so that payment events do not change it. */
  readonly pinned: boolean
  /** The tier that payments would set now; undefined for a person who never paid for a tier. */
  readonly paidTier: TierName | undefined
}

interface SetTier {
  readonly userId: UserId
  readonly tier: TierName
  readonly pin: boolean
  readonly period: "new" | "current"
}

type Refused = AccountNotFound | InvalidAmount | KeyConflict | StorageFailed

/** Tiers that operators set for people with an account. */
export class OperatorTiers extends Context.Service<
  OperatorTiers,
  {
    standing(userId: UserId): Effect.Effect<TierStanding, AccountNotFound | StorageFailed>
    /**
     * Puts a person on a tier. With `period: "new"`, each call begins a period now, which grants the tier's credits and
     * which the monthly job renews. With `period: "current"`, the dates stay, and the tier grants its excess over the
     * highest tier of the period so far, so that changes up and down grant no more than the highest tier; the credits
     * of a lower tier begin with the next period. With `pin`, payment events are recorded but do not change the tier
     * until `unpin`. Without `pin`, a pinned person stays pinned, and for any other person the next payment decides.
     * Returns undefined if nothing changed.
     */
    set(input: SetTier): Effect.Effect<Transaction | undefined, UnknownTier | Refused>
    /**
     * Removes the pin, and sets the tier that follows from all recorded payments. A person who never paid keeps the
     * tier.
     */
    unpin(userId: UserId): Effect.Effect<void, ActionRefusal | StorageFailed>
  }
>()("@parley/core/users/OperatorTiers") {
  static readonly layer = Layer.effect(
    OperatorTiers,
    Effect.gen(function* () {
      const billing = yield* BillingStore
      const catalog = yield* Catalog
      const ledger = yield* CreditLedger
      const records = yield* CreditRecords
      const unitOfWork = yield* UnitOfWork
      const newKey = Effect.flatMap(IdGenerator, (ids) => ids.next)

      /** Changes the plan within the running period. */
      const changeNow = Effect.fnUntraced(function* (userId: UserId, { monthlyCredits: allowance, name: tier }: Tier) {
        const key = `tier:${yield* newKey}:${tier}`
        const change = { _tag: "Raised", key, tier, lowest: undefined, allowance } as const
        const transaction = yield* Effect.catchTag(
          ledger.run(changeTier(userId, change)),
          "SubscriptionNotFound",
          Effect.die
        )
        const { periodCredits, ...terms } = yield* records.account(userId)
        return { transaction, left: undefined, terms: { ...terms, allowance: periodCredits } }
      })

      /** Begins a period of the plan now. */
      const beginNow = Effect.fnUntraced(function* (userId: UserId, wanted: Tier) {
        const key = `tier:${yield* newKey}:${wanted.name}`
        const plan = operatorPlan(catalog, { userId, wanted, key }, yield* ledger.now)
        return { ...(yield* ledger.run(followPlan(plan))), terms: plan.terms }
      })

      const set = Effect.fnUntraced(function* ({ period, pin, tier, userId }: SetTier) {
        const wanted = catalog.tiers.find(({ name }) => name === tier)
        if (wanted === undefined) return yield* unknownTier(catalog, tier)
        const account = yield* billing.pin({ userId, pinned: pin ? true : undefined, followed: undefined })
        const changing = period === "new" ? beginNow(userId, wanted) : changeNow(userId, wanted)
        const { left, terms, transaction } = yield* changing
        if (!account.pinned) return transaction
        // The operator's tier replaces a paid plan in the same way as another subscription; the paid plan continues
        // later with its remaining credits.
        const { followed: before, subscriptions } = account
        const standIn = { subscriptionId: undefined, periodKey: undefined, terms, refunded: 0 }
        const taken = before?.periodStart === left?.periodStart ? (before?.taken?.allowance ?? 0) : 0
        const rest: LeftPeriod | undefined = left && { ...left, left: left.left + taken }
        const followed = followedPeriod(before, standIn, subscriptions, userId, rest)
        yield* billing.pin({ userId, pinned: true, followed })
        return transaction
      })

      const unpin = Effect.fnUntraced(function* (userId: UserId) {
        const account = yield* billing.pin({ userId, pinned: false, followed: undefined })
        const now = yield* ledger.now
        const changeKey = `unpinned:${yield* newKey}`
        const decision = followAgain({ account, bought: undefined, catalog, now, changeKey, used: undefined })
        const answers = yield* Effect.forEach(decision.actions, (action) => ledger.run(operationOf(action)))
        const { followed } = afterActions(decision, answers)
        yield* billing.pin({ userId, pinned: false, followed })
      })

      return OperatorTiers.of({
        standing: Effect.fn("OperatorTiers.standing")(function* (userId) {
          const { tier } = yield* records.account(userId)
          const known = yield* billing.account(userId)
          return { tier, pinned: known.pinned, paidTier: planOf(known, catalog, yield* ledger.now)?.terms.tier }
        }),
        set: Effect.fn("OperatorTiers.set")((input) => unitOfWork.run(input.userId, set(input))),
        unpin: Effect.fn("OperatorTiers.unpin")((userId) => unitOfWork.run(userId, unpin(userId)))
      })
    })
  )
}
