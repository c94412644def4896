import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import type { LoadedAccount } from "../rules/decideAll.ts"
import type { HoldProgress } from "../holds/Renewal.ts"
import type { LedgerAccount, OpenHold } from "../rules/LedgerState.ts"
import type { ExplainedTerms } from "../rules/verifyAccount.ts"
import type { Transaction } from "../Transaction.ts"

/** Everything about one account; replaced as a whole by every write. */
export interface StoredAccount extends LoadedAccount {
  readonly account: LedgerAccount
  /** Oldest first. */
  readonly transactions: ReadonlyArray<Transaction>
  readonly explained: ExplainedTerms
}

/** Lets an open hold live on; false if it is gone. */
export const renewHold = (
  accounts: Map<UserId, StoredAccount>,
  { userId, key, outputTokens, draft }: HoldProgress,
  expiresAt: number
): boolean => {
  const stored = accounts.get(userId)
  const open = stored?.holds.get(key)
  if (stored === undefined || open === undefined) return false
  const renewed: OpenHold = {
    ...open,
    hold: { ...open.hold, expiresAt: Math.max(open.hold.expiresAt, expiresAt) },
    outputTokens: Math.max(open.outputTokens, outputTokens),
    draft: draft ?? open.draft
  }
  accounts.set(userId, { ...stored, holds: new Map(stored.holds).set(key, renewed) })
  return true
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
