import { Effect } from "effect"
import type { Account } from "./Account.ts"
import type { Accounts } from "./Accounts.ts"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/**
 * Prepares a reply by the payer's account as this process remembers it, which saves the reply a round trip: that the tier
 * is still the same is proven when the credits are held (`reserveReply`). A refusal would be proven by nothing, so that
 * the account is read before one is given, and decides where it is on another tier by now.
 */
export const byRememberedAccount = <A, E>(
  accounts: Accounts["Service"],
  payer: UserId,
  prepare: (account: Account) => Effect.Effect<A, E>
): Effect.Effect<A, E | StorageFailed> => {
  const recalled = accounts.recall(payer)
  if (recalled === undefined) return Effect.flatMap(accounts.of(payer), prepare)
  return Effect.catch(prepare(recalled), (refusal) =>
    Effect.flatMap(accounts.of(payer), (account) =>
      account.tier === recalled.tier ? Effect.fail(refusal) : prepare(account)
    )
  )
}
