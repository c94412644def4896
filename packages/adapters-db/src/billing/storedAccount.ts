import type { BillingAccount, BoughtCredits, FollowedPeriod, Matched, SubscriptionFacts } from "@parley/core/adapter"

/** Stored as JSON, which has null for an absent value. */
interface StoredBought extends Omit<BoughtCredits, "paymentId"> {
  readonly paymentId: string | null
}

/** The stored billing facts of a person, as the functions of the database schema return them. */
export interface StoredAccount {
  readonly userId: string
  readonly customerId: string | null
  readonly followed: FollowedPeriod | null
  readonly subscriptions: ReadonlyArray<SubscriptionFacts>
  readonly invoiceReports: BillingAccount["invoiceReports"]
  readonly pinned: boolean
  readonly importedAt: number | null
  readonly bought: StoredBought | null
}

export const toAccount = (stored: Omit<StoredAccount, "bought">): BillingAccount => ({
  userId: stored.userId,
  customerId: stored.customerId ?? undefined,
  subscriptions: stored.subscriptions,
  followed: stored.followed ?? undefined,
  invoiceReports: stored.invoiceReports,
  pinned: stored.pinned,
  importedAt: stored.importedAt ?? undefined
})

const toBought = (bought: StoredBought): BoughtCredits => ({ ...bought, paymentId: bought.paymentId ?? undefined })

/** Returns the match of an event with a known person; `now` is in Unix milliseconds. */
export const matched = (stored: StoredAccount, now: number): Matched => ({
  _tag: "Matched",
  account: toAccount(stored),
  bought: stored.bought === null ? undefined : toBought(stored.bought),
  now
})
