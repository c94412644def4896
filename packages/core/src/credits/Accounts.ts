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
 * Opens and finds the accounts of people. The first request of a person opens an account on the lowest tier. A person
 * who returns within 30 days of an erasure at their own request gets no allowance before the second period.
 */
export class Accounts extends Context.Service<
  Accounts,
  {
    /**
     * Returns the account of the person who sends a request; opens one if there is none. Fails with `SessionInvalid`,
     * and opens no account, if the session is older than the person's erasure, even while the erasure runs and before
     * this process has read of it.
     */
    of(userId: UserId): Effect.Effect<Account, SessionInvalid | StorageFailed>
    /** Returns the account of a person for whom an operator or a service acts; opens one if there is none. */
    vouched(userId: UserId): Effect.Effect<Account, StorageFailed>
    /**
     * Prepares work with the account that this process remembers, which saves a round trip: the write that later holds
     * the credits checks that the tier is still the same (`reserveOnTier`). If `work` fails, no write checks the tier,
     * so the account is read; `work` runs again if the account is on another tier by now.
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
      // Without this, a person who erases the account after each month's allowance would get a second allowance.
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
