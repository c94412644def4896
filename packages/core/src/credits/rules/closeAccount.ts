import { Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { TierName } from "../../tiers/Tier.ts"
import { HoldsOpen } from "../errors.ts"
import type { Transaction } from "../Transaction.ts"
import { decideOnce, type OnceRefusal } from "./decideOnce.ts"
import { type Journal, post } from "./journal.ts"
import type { LedgerAccount, Operation } from "./LedgerState.ts"

export interface CloseInput {
  readonly userId: UserId
  /** The business fact, for example `closed:<request>`. */
  readonly key: string
  /** The tier of those who have no subscription, which the account is left with. */
  readonly lowest: TierName
}

/** What is left is forfeited and what is owed written off, in one transaction; no period begins any more. */
const closed = (account: LedgerAccount, tier: TierName, reference: string, at: number): Journal => {
  const { allowance, debt, topup } = account
  return post(
    {
      account: { ...account, tier, pendingTier: undefined, renewedBy: "none", periodCredits: 0 },
      transactions: []
    },
    { type: "adjustment", amount: debt - allowance - topup, allowance: 0 - allowance, topup: 0 - topup, reference, at }
  )
}

/** True where nothing is in the account, nothing is owed or held, and nothing renews it. */
export const isClosed = ({ allowance, debt, openHolds, renewedBy, topup }: LedgerAccount): boolean =>
  renewedBy === "none" && allowance === 0 && topup === 0 && debt === 0 && openHolds === 0

/**
 * Closes an account once for its key: its balance is zero then, and nothing renews it. What is granted to it later is
 * there again. Fails with `HoldsOpen` while something is being paid from it.
 */
export const closeOperation = ({
  key,
  lowest,
  userId
}: CloseInput): Operation<Transaction, OnceRefusal | HoldsOpen> => ({
  name: "close",
  userId,
  reads: { key },
  decide: (view, now) =>
    decideOnce<HoldsOpen>(view, {
      userId,
      key,
      fingerprint: "closed",
      now,
      post: (account) =>
        account.openHolds > 0
          ? Result.fail(new HoldsOpen({ open: account.openHolds }))
          : Result.succeed(closed(account, lowest, key, now))
    })
})
