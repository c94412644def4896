import { Context, Effect, Layer } from "effect"
import { SessionInvalid } from "../identity/SessionVerifier.ts"
import { SessionIssuedAt } from "../identity/SessionIssuedAt.ts"
import type { UserId } from "../identity/UserId.ts"
import { isEnded } from "../sessions/AccessList.ts"
import { type AccessRecord, AccessStore } from "../sessions/AccessStore.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { lowestTier } from "../tiers/CatalogData.ts"
import type { Account } from "./Account.ts"
import { CreditLedger } from "./CreditLedger.ts"
import { makeOwnErasureLeft } from "../signin/ownErasureMarks.ts"
import { findAccount, openAccount } from "./rules/openAndClose.ts"

/**
 * The accounts of people who use the product: the first sight of a person opens one on the lowest tier. A person who
 * returns within 30 days of an erasure at their own request gets the first allowance with the second period.
 */
export class Accounts extends Context.Service<
  Accounts,
  {
    /**
     * The account of a person who acts. Fails with `SessionInvalid`, and opens nothing, if the session is older than the
     * person's erasure: also while that is going on, and before this process knows of it.
     */
    of(userId: UserId): Effect.Effect<Account, SessionInvalid | StorageFailed>
    /** The account of a person for whom an operator or a service acts. */
    vouched(userId: UserId): Effect.Effect<Account, StorageFailed>
    /**
     * Prepares work by the account as this process remembers it, which saves a round trip: the write that holds the credits
     * proves that the tier is still the same (`reserveOnTier`). Nothing would prove a refusal, so that the account is read
     * before one, and decides if it is on another tier by now.
     */
    prepare<A, E>(
      payer: UserId,
      work: (account: Account) => Effect.Effect<A, E>
    ): Effect.Effect<A, E | SessionInvalid | StorageFailed>
  }
>()("@parley/core/credits/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const { recall, run } = yield* CreditLedger
      const { monthlyCredits: allowance, name: tier } = lowestTier(yield* Catalog)
      const access = yield* AccessStore
      const unitOfWork = yield* UnitOfWork
      const ownErasureLeft = yield* makeOwnErasureLeft
      // Otherwise an erasure after each month's allowance would double it.
      const opened = Effect.fnUntraced(function* (userId: UserId, record: AccessRecord | undefined) {
        const isReturning = (yield* ownErasureLeft(userId, record !== undefined)) > 0
        return yield* run(openAccount({ userId, tier, allowance: isReturning ? 0 : allowance }))
      })
      const found = (userId: UserId) => run(findAccount(userId))
      const open = Effect.fnUntraced(function* (userId: UserId) {
        const record = yield* access.lock(userId)
        const issuedAt = yield* SessionIssuedAt
        if (record !== undefined && isEnded(record, issuedAt)) {
          return yield* new SessionInvalid({ problem: "signed-out", userId })
        }
        return yield* opened(userId, record)
      })
      const of = (userId: UserId) =>
        Effect.catchTag(found(userId), "AccountNotFound", () => unitOfWork.run(userId, open(userId)))
      return Accounts.of({
        of,
        vouched: (userId) =>
          Effect.catchTag(found(userId), "AccountNotFound", () =>
            Effect.flatMap(access.find(userId), (record) => opened(userId, record))
          ),
        prepare: (payer, work) => {
          const recalled = recall(payer)
          if (recalled === undefined) return Effect.flatMap(of(payer), work)
          return Effect.catch(work(recalled), (refusal) =>
            Effect.flatMap(of(payer), (account) =>
              account.tier === recalled.tier ? Effect.fail(refusal) : work(account)
            )
          )
        }
      })
    })
  )
}
