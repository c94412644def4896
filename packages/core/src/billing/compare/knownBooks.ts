import { Cache, Effect, Result } from "effect"
import type { CreditLedger } from "../../credits/CreditLedger.ts"
import type { Operation } from "../../credits/rules/LedgerState.ts"
import type { PurchaseState } from "../../credits/Purchase.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { BillingAccount, BoughtCredits } from "../BillingAccount.ts"
import type { BillingStore } from "../BillingStore.ts"

/** The stored payments of a person. */
export interface KnownBooks {
  readonly account: BillingAccount
  readonly bought: ReadonlyArray<BoughtCredits>
}

/** The number of people whose stored payments stay in memory: the provider lists several objects of each person. */
const PEOPLE_IN_MEMORY = 500

/** Reads a purchase in the ledger; changes nothing. */
const purchaseOperation = (userId: UserId, charge: string): Operation<PurchaseState | undefined, never> => ({
  name: "purchase",
  userId,
  reads: { charge },
  decide: ({ purchase }) => ({ answer: Result.succeed(purchase), changes: undefined })
})

/** The stored payments of people, read once for several comparisons. */
export const makeKnownBooks = (store: BillingStore["Service"], ledger: CreditLedger["Service"]) =>
  Effect.map(
    Cache.make({
      capacity: PEOPLE_IN_MEMORY,
      timeToLive: "1 minute",
      lookup: (userId: UserId): Effect.Effect<KnownBooks, StorageFailed> =>
        Effect.all({ account: store.account(userId), bought: store.bought(userId) })
    }),
    (books) => ({
      of: (userId: UserId) => Cache.get(books, userId),
      /** Removes a person's payments from memory, so that they are read again after events may have changed them. */
      forget: (userId: UserId) => Cache.invalidate(books, userId),
      purchase: (userId: UserId, charge: string) => ledger.run(purchaseOperation(userId, charge))
    })
  )

export type Books = Effect.Success<ReturnType<typeof makeKnownBooks>>
