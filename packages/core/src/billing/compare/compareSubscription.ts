import { Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { Owner } from "../BillingStore.ts"
import type { PaymentSubscription, SubscriptionStatus } from "../provider/PaymentEvent.ts"
import { tierOfPrice } from "../planOf.ts"
import type { SubscriptionFacts } from "../SubscriptionFacts.ts"
import type { Books } from "./knownBooks.ts"
import { differs, type PaymentDifference } from "./PaymentDifference.ts"

/** The statuses of a subscription whose first invoice was paid. */
const BEGUN: ReadonlySet<SubscriptionStatus> = new Set(["trialing", "active", "past-due", "unpaid", "paused"])

/**
 * The stored price of a subscription, followed by further prices if the provider reported several within one second.
 */
const storedPrices = ({ checkout, latest, paid, seen }: SubscriptionFacts): ReadonlyArray<string> => {
  const newest = latest?.priceId ?? paid?.priceId ?? checkout?.priceId
  const sameSecond = seen.filter(({ at }) => at === latest?.at).map(({ priceId }) => priceId)
  return newest === undefined ? sameSecond : [newest, ...sameSecond]
}

/** A description of the difference between a stored subscription and the provider's; undefined if they agree. */
const otherPlan = ({ endedAt, ...facts }: SubscriptionFacts, priceId: string): string | undefined => {
  if (endedAt !== undefined) return "it goes on at the provider, and has ended here"
  const stored = storedPrices({ endedAt, ...facts })
  return stored.includes(priceId) ? undefined : `its price is ${priceId} at the provider, and ${stored[0]} here`
}

/** Compares a subscription that continues at the provider with the stored subscription. */
export const subscriptionComparison =
  (books: Books, catalog: CatalogData) =>
  (
    { id, items, startedAt, status }: PaymentSubscription,
    owner: Owner | undefined
  ): Effect.Effect<PaymentDifference | undefined, StorageFailed> =>
    Effect.gen(function* () {
      if (owner === undefined || !BEGUN.has(status)) return undefined
      const { userId } = owner
      const subject = { userId, payment: id }
      if (userId === undefined) return differs(subject, "plan", "it goes on at the provider, and its person was erased")
      const item = items.find(({ priceId }) => tierOfPrice(catalog, priceId) !== undefined)
      if (item === undefined) {
        return differs(
          subject,
          "not-granted",
          "it goes on at the provider, and its price is for no plan in the catalog"
        )
      }
      const { account } = yield* books.of(userId)
      const facts = account.subscriptions.find((one) => one.id === id)
      if (facts === undefined && startedAt < (account.importedAt ?? -Infinity)) return undefined
      if (facts === undefined)
        return differs(subject, "not-granted", "it goes on at the provider, and is not known here")
      const other = otherPlan(facts, item.priceId)
      return other === undefined ? undefined : differs(subject, "plan", other)
    })
