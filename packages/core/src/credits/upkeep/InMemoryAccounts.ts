import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import type { LoadedAccount } from "../rules/decideAll.ts"
import type { LedgerAccount } from "../rules/LedgerState.ts"
import type { ExplainedTerms } from "../rules/verifyAccount.ts"
import type { Transaction } from "../Transaction.ts"

/** Everything about one account; replaced as a whole by every write. */
export interface StoredAccount extends LoadedAccount {
  readonly account: LedgerAccount
  /** Oldest first. */
  readonly transactions: ReadonlyArray<Transaction>
  readonly explained: ExplainedTerms
}

/** The accounts in the memory of one process, for the ledger and for what checks it. */
export class InMemoryAccounts extends Context.Service<InMemoryAccounts, Map<UserId, StoredAccount>>()(
  "@parley/core/credits/upkeep/InMemoryAccounts"
) {
  static readonly layer = Layer.effect(
    InMemoryAccounts,
    Effect.flatMap(InMemoryStorage, (storage) => storage.table<UserId, StoredAccount>())
  ).pipe(Layer.provide(InMemoryStorage.layer))
}
