import { Context, Effect, Layer } from "effect"
import type { ActionAsked } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { CreditService } from "../credits/CreditService.ts"
import { CreditRecords } from "../credits/CreditLedger.ts"
import type { AccountNotFound, InvalidAmount, KeyConflict } from "../credits/errors.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { UserId } from "../identity/UserId.ts"
import { AccessStore } from "../sessions/AccessStore.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { UnknownTier } from "../tiers/errors.ts"
import type { TierName } from "../tiers/Tier.ts"
import { OperatorTiers } from "./OperatorTiers.ts"

export interface AuditedGrant {
  readonly userId: UserId
  readonly amount: number
  readonly key: string
}

type Refused = AccountNotFound | InvalidAmount | KeyConflict | StorageFailed

/**
 * Changes that a back end makes to people with an account. Each is recorded in the audit log once, in its own
 * transaction; a repeated one changes and records nothing.
 */
export class AuditedActions extends Context.Service<
  AuditedActions,
  {
    /** Grants credits that never expire, once under its key; the same grant again returns the first answer. */
    grant(input: AuditedGrant, asked: ActionAsked): Effect.Effect<Transaction, Refused>
    /** Puts a person on a tier until the next payment decides, with its credits from now on. */
    setTier(
      input: { readonly userId: UserId; readonly tier: TierName },
      asked: ActionAsked
    ): Effect.Effect<void, UnknownTier | Refused>
  }
>()("@parley/core/users/AuditedActions") {
  static readonly layer = Layer.effect(
    AuditedActions,
    Effect.gen(function* () {
      const access = yield* AccessStore
      const audit = yield* AuditLog
      const credits = yield* CreditService
      const records = yield* CreditRecords
      const tiers = yield* OperatorTiers
      const unitOfWork = yield* UnitOfWork

      /** Does work on a person with an account, one after another. */
      const alone = <A, E>(userId: UserId, work: Effect.Effect<A, E>) =>
        unitOfWork.run(userId, access.lock(userId).pipe(Effect.andThen(records.account(userId)), Effect.andThen(work)))

      return AuditedActions.of({
        grant: Effect.fn("AuditedActions.grant")(({ amount, key, userId }, { address, by, reason }) => {
          const details = `${amount} credits under the key ${key}`
          const granting = Effect.gen(function* () {
            const done = yield* credits.done(userId, key)
            // Only purchases have payments that could differ.
            const transaction = yield* Effect.catchTag(
              credits.grant({ userId, amount, key }),
              "PurchaseConflict",
              Effect.die
            )
            if (done === undefined) {
              yield* audit.record({ action: "credits grant", by, userId, reason, details, address })
            }
            return transaction
          })
          return alone(userId, granting)
        }),
        setTier: Effect.fn("AuditedActions.setTier")(({ tier, userId }, { address, by, reason }) => {
          const setting = Effect.gen(function* () {
            if ((yield* tiers.standing(userId)).tier === tier) return
            yield* tiers.set({ userId, tier, pin: false })
            yield* audit.record({ action: "users tier", by, userId, reason, details: tier, address })
          })
          return alone(userId, setting)
        })
      })
    })
  )
}
