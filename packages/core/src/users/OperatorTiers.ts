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
import type { Transaction } from "../credits/Transaction.ts"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { Catalog, unknownTier } from "../tiers/Catalog.ts"
import type { UnknownTier } from "../tiers/errors.ts"
import type { TierName } from "../tiers/Tier.ts"

/** A person's tier, and the party that decides over it. */
export interface TierStanding {
  readonly tier: TierName
  /** An operator chose it, and billing events do not change it. */
  readonly pinned: boolean
  /** The tier that billing would set now; undefined for a person who never paid for one. */
  readonly paidTier: TierName | undefined
}

type Refused = AccountNotFound | InvalidAmount | KeyConflict | StorageFailed

/** Tiers that operators set for people with an account. */
export class OperatorTiers extends Context.Service<
  OperatorTiers,
  {
    standing(userId: UserId): Effect.Effect<TierStanding, AccountNotFound | StorageFailed>
    /**
     * Puts a person on a tier, with its credits from now on, renewed by the monthly job. With `pin`, payment events
     * are recorded but do not change it until `unpin`. Without `pin`, a pinned person stays pinned, and for any other
     * person the next payment decides. Returns undefined if nothing changed.
     */
    set(input: {
      readonly userId: UserId
      readonly tier: TierName
      readonly pin: boolean
    }): Effect.Effect<Transaction | undefined, UnknownTier | Refused>
    /** Lets billing decide again, beginning with all recorded events. A person who never paid keeps the tier. */
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

      const set = Effect.fnUntraced(function* (userId: UserId, tier: TierName, pin: boolean) {
        const wanted = catalog.tiers.find(({ name }) => name === tier)
        if (wanted === undefined) return yield* unknownTier(catalog, tier)
        const account = yield* billing.pin({ userId, pinned: pin ? true : undefined, followed: undefined })
        const plan = operatorPlan(catalog, { userId, wanted, key: `tier:${yield* newKey}:${tier}` }, yield* ledger.now)
        const { left, transaction } = yield* ledger.run(followPlan(plan))
        if (!account.pinned) return transaction
        // The operator's tier replaces a paid plan as another subscription would; the plan continues later with its
        // remaining credits.
        const { followed: before, subscriptions } = account
        const standIn = { subscriptionId: undefined, periodKey: undefined, terms: plan.terms, refunded: 0 }
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
        set: Effect.fn("OperatorTiers.set")(({ pin, tier, userId }) => unitOfWork.run(userId, set(userId, tier, pin))),
        unpin: Effect.fn("OperatorTiers.unpin")((userId) => unitOfWork.run(userId, unpin(userId)))
      })
    })
  )
}
