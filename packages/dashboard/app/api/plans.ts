import { queryOptions } from "@tanstack/react-query"
import { json, read, send } from "./request.ts"
import type { Tier, TierBody } from "./session.ts"

/** The time that one payment covers. */
export interface Interval {
  readonly unit: "day" | "week" | "month" | "year"
  readonly count: number
}

/** The price of a plan or a pack. */
export interface Price {
  readonly priceId: string
  /** In major units of the currency; null if the amount is not fixed. */
  readonly amount: number | null
  /** ISO 4217, lower case. */
  readonly currency: string
  /** Null for a one-time purchase. */
  readonly every: Interval | null
}

export interface Plan extends TierBody {
  readonly prices: ReadonlyArray<Price>
}

/** A pack of credits, bought once. */
export interface CreditPack extends Price {
  readonly credits: number
}

export interface Offers {
  /** From none to the most paid. */
  readonly plans: ReadonlyArray<Plan>
  readonly credits: ReadonlyArray<CreditPack>
  /** The payment provider does not answer: no prices are known at the moment. */
  readonly pricesUnavailable: boolean
}

export const offersQuery = queryOptions({
  queryKey: ["offers"],
  queryFn: ({ signal }) => read<Offers>("/api/billing/plans", signal),
  staleTime: 60_000
})

export interface Subscription {
  readonly id: string
  readonly tier: Tier
  /** The plan from the next period on, if it changes. */
  readonly nextTier: Tier | null
  readonly priceId: string | null
  readonly status: "incomplete" | "trialing" | "active" | "past-due" | "unpaid" | "paused" | "ended"
  /** Paid for longer than a month at once; its credits come month by month. */
  readonly givesMonthly: boolean
  readonly paidUntil: string
  /** The end of the subscription, if it is set. */
  readonly endsAt: string | null
}

export interface SubscriptionState {
  /** The id at the payment provider; null for a person without a customer there. */
  readonly customerId: string | null
  readonly subscription: Subscription | null
  /** Further paid subscriptions, which have no effect. */
  readonly others: ReadonlyArray<Subscription>
}

export const subscriptionQuery = queryOptions({
  queryKey: ["subscription"],
  queryFn: ({ signal }) => read<SubscriptionState>("/api/billing/subscription", signal)
})

export interface Invoice {
  readonly id: string
  /** In major units of the currency. */
  readonly amount: number
  readonly currency: string
  readonly status: string | null
  readonly date: string
  readonly invoiceUrl: string | null
  readonly description: string | null
}

export const invoicesQuery = (customerId: string) =>
  queryOptions({
    queryKey: ["invoices", customerId],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ customerId })
      return (await read<{ readonly invoices: ReadonlyArray<Invoice> }>(`/api/billing/invoices?${query}`, signal))
        .invoices
    }
  })

/** The number of the person's purchases of credits. */
export const readPurchases = async (signal?: AbortSignal): Promise<number> =>
  (await read<{ readonly total: number }>("/api/billing/credit-history?type=topup&limit=1", signal)).total

const urlOf = async (response: Response): Promise<string> => ((await response.json()) as { readonly url: string }).url

/** The provider's page to pay at; `returnTo` is the page of this application to come back to. */
export const openCheckout = async (price: Price, returnTo: string): Promise<string> => {
  const mode = price.every === null ? "one-time" : "subscription"
  return urlOf(await send("/api/billing/checkout", json("POST", { priceId: price.priceId, mode, returnTo })))
}

/** The provider's page for plan, means of payment and invoices. */
export const openPortal = async (returnTo: string): Promise<string> =>
  urlOf(await send(`/api/billing/portal?${new URLSearchParams({ returnTo })}`, { method: "POST" }))
