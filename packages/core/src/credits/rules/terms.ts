import type { Account } from "../Account.ts"
import type { LedgerAccount } from "./LedgerState.ts"

/** What changes with a period or a plan, and not with replies. Times are Unix milliseconds. */
export type Terms = Pick<
  Account,
  "tier" | "anchor" | "periodStart" | "nextResetAt" | "periodCredits" | "renewedBy" | "renewedUntil" | "pendingTier"
>

const NAMES = [
  "tier",
  "anchor",
  "periodStart",
  "nextResetAt",
  "periodCredits",
  "renewedBy",
  "renewedUntil",
  "pendingTier"
] as const

export const termsOf = ({
  tier,
  anchor,
  periodStart,
  nextResetAt,
  periodCredits,
  renewedBy,
  renewedUntil,
  pendingTier
}: Terms): Terms => ({
  tier,
  anchor,
  periodStart,
  nextResetAt,
  periodCredits,
  renewedBy,
  renewedUntil,
  pendingTier
})

export const sameTerms = (a: Terms, b: Terms): boolean => NAMES.every((name) => a[name] === b[name])

/** The account after an operation, naming its newest transaction as the one that says its terms, where they changed. */
export const explainTerms = (before: LedgerAccount | undefined, after: LedgerAccount): LedgerAccount => {
  if (before !== undefined && sameTerms(before, after)) return after
  if (after.transactionCount === before?.transactionCount)
    throw new Error("The terms of an account changed without a transaction.")
  return { ...after, termsTransaction: after.transactionCount }
}
