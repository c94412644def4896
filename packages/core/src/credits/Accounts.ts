import { Context, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog, lowestTier } from "../tiers/Catalog.ts"
import type { Account } from "./Account.ts"
import { CreditLedger } from "./CreditLedger.ts"
import { openAccount } from "./rules/openAndClose.ts"

/** The accounts of people who use the product: the first sight of a person opens one on the lowest tier. */
export class Accounts extends Context.Service<
  Accounts,
  {
    of(userId: UserId): Effect.Effect<Account, StorageFailed>
    /**
     * Prepares work by the account as this process remembers it, which saves a round trip: the write that holds the credits
     * proves that the tier is still the same (`reserveOnTier`). Nothing would prove a refusal, so that the account is read
     * before one, and decides if it is on another tier by now.
     */
    prepare<A, E>(payer: UserId, work: (account: Account) => Effect.Effect<A, E>): Effect.Effect<A, E | StorageFailed>
  }
>()("@parley/core/credits/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const { recall, run } = yield* CreditLedger
      const { monthlyCredits: allowance, name: tier } = lowestTier(yield* Catalog)
      const of = (userId: UserId) => run(openAccount({ userId, tier, allowance }))
      return Accounts.of({
        of,
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
