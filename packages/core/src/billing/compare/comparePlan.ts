import { Clock, Effect } from "effect"
import type { Account } from "../../credits/Account.ts"
import type { CreditRecords } from "../../credits/CreditLedger.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { rankOf, type CatalogData } from "../../tiers/CatalogData.ts"
import type { BillingAccount } from "../BillingAccount.ts"
import { paidPlans, type Plan } from "../planOf.ts"
import type { SubscriptionFacts } from "../SubscriptionFacts.ts"
import { differs, type PaymentDifference } from "./PaymentDifference.ts"

/** Returns true if a subscription continues and was paid for by an invoice or a checkout. */
export const isPaidFor = ({ checkout, endedAt, paid }: SubscriptionFacts): boolean =>
  endedAt === undefined && (paid ?? checkout) !== undefined

/** Returns true if payments determined an account's present terms, and not an operator. */
const followsPayments = ({ renewedBy, renewedUntil }: Account): boolean =>
  renewedBy === "invoice" || renewedUntil !== undefined

/** A description of the difference between an account and the plan that is paid for; undefined if they agree. */
const otherTerms = (
  account: Account,
  { terms }: Plan,
  catalog: CatalogData
): PaymentDifference["found"] | undefined => {
  const { periodCredits, tier } = account
  const isOperators = !followsPayments(account)
  // An operator may have put the person on a more expensive tier, which stays until the next payment event.
  const hasTier = isOperators ? rankOf(catalog, tier) >= rankOf(catalog, terms.tier) : tier === terms.tier
  if (!hasTier) return `its plan is ${terms.tier}, and the account is on ${tier}`
  return isOperators || periodCredits === terms.allowance
    ? undefined
    : `its plan gives ${terms.allowance} credits, and the account's period has ${periodCredits}`
}

/** Compares the tier and the credits of a person with the subscriptions that are paid for. */
export const planComparison = (records: CreditRecords["Service"], catalog: CatalogData) =>
  Effect.fnUntraced(function* (
    account: BillingAccount
  ): Effect.fn.Return<ReadonlyArray<PaymentDifference>, StorageFailed> {
    const { importedAt, pinned, subscriptions, userId } = account
    const now = yield* Clock.currentTimeMillis
    const credits = yield* Effect.catchTag(records.account(userId), "AccountNotFound", () => Effect.succeed(undefined))
    const [current, ...others] = paidPlans(account, catalog, now)
    const second = others.map(([{ id: payment }]) =>
      differs(
        { userId, payment },
        "second-subscription",
        `it is paid for beside ${current?.[0].id}, which gives the plan`
      )
    )
    if (pinned || credits === undefined) return second
    if (current === undefined) {
      const mayBePaid = importedAt !== undefined && subscriptions.every(({ endedAt }) => endedAt === undefined)
      if (!followsPayments(credits) || mayBePaid || subscriptions.some(isPaidFor)) return second
      const found = `the account is on ${credits.tier}, and no stored subscription pays for it`
      return [...second, differs({ userId, payment: userId }, "not-paid", found)]
    }
    const [{ id: payment }, plan] = current
    // If the account's period is over, the account may differ until the next reset begins the new period.
    const other = credits.nextResetAt > now ? otherTerms(credits, plan, catalog) : undefined
    return other === undefined ? second : [...second, differs({ userId, payment }, "plan", other)]
  })
