import { Context, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog, lowestTier } from "../tiers/Catalog.ts"
import type { Account } from "./Account.ts"
import { CreditLedger } from "./CreditLedger.ts"
import { CreditOperations } from "./CreditOperations.ts"

/** The accounts of people who use the product: the first sight of a person opens one on the lowest tier. */
export class Accounts extends Context.Service<
  Accounts,
  {
    of(userId: UserId): Effect.Effect<Account, StorageFailed>
    /** The account as this process remembers it, without asking anybody (`CreditLedger.recall`). */
    recall(userId: UserId): Account | undefined
  }
>()("@parley/core/credits/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const credits = yield* CreditOperations
      const { recall } = yield* CreditLedger
      const { monthlyCredits: allowance, name: tier } = lowestTier(yield* Catalog)
      return Accounts.of({
        of: (userId) => credits.open({ userId, tier, allowance }),
        recall
      })
    })
  )
}
