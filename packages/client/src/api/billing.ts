// Written by `npm run docs:tables` from the table of routes: change that.

import type { Balance, Quotas, TransactionList } from "./shared.ts"

/** The time that one payment covers. */
export interface BillingPeriod {
  /** The unit of the period. */
  readonly unit: "day" | "week" | "month" | "year"
  /** The number of units. */
  readonly count: number
}

/** A request to pay. */
export interface Checkout {
  /** A price of GET /api/billing/plans. */
  readonly priceId: string
  /** `subscription` for a plan, `one-time` for credits. */
  readonly mode: "subscription" | "one-time"
  /** The page of this server to come back to, as a path; the first page unless given. */
  readonly returnTo?: string
}

/** Credits that can be bought once. */
export interface CreditPack {
  /** The number of credits. */
  readonly credits: number
  /** The price's id, as a checkout takes it. */
  readonly priceId: string
  /** In major units of the currency; null if it is no fixed amount. */
  readonly amount: number | null
  /** The currency in lower case, as `eur`. */
  readonly currency: string
  /** The period of one payment; null for a one-time purchase. */
  readonly every: BillingPeriod | null
}

/** An invoice of the payment provider. */
export interface Invoice {
  /** The invoice's id at the payment provider. */
  readonly id: string
  /** The total in major units of the currency: 12.5; yen without decimals. */
  readonly amount: number
  /** The currency in lower case, as `eur`. */
  readonly currency: string
  /** The provider's state of the invoice, as `paid` or `open`; null if it has none. */
  readonly status: string | null
  /** When the invoice was created. */
  readonly date: string
  /** The page of the invoice; null if there is none. */
  readonly invoiceUrl: string | null
  /** The subject of the invoice; null if it has none. */
  readonly description: string | null
}

/** The invoices of a person. */
export interface InvoiceList {
  /** The invoices, newest first. */
  readonly invoices: ReadonlyArray<Invoice>
}

/** A page of the payment provider. */
export interface PaymentPage {
  /** The address to which the browser is led. */
  readonly url: string
}

/** A tier with its prices. */
export interface Plan {
  /** The tier's id. */
  readonly id: string
  /** The name shown to people. */
  readonly name: string
  /** The credits of each period. */
  readonly monthlyCredits: number
  /** Ids of the models it includes and this server can run, its default first. */
  readonly models: ReadonlyArray<string>
  readonly quotas: Quotas
  /** The prices of the tier; empty for a tier that is free or not on sale. */
  readonly prices: ReadonlyArray<Price>
}

/** Everything that is on sale. */
export interface Plans {
  /** The tiers, the free one first. */
  readonly plans: ReadonlyArray<Plan>
  /** The credits that can be bought once. */
  readonly credits: ReadonlyArray<CreditPack>
  /** The payment provider does not answer, so that no prices are known at the moment. Ask again later. */
  readonly pricesUnavailable: boolean
}

/** A price of the payment provider. */
export interface Price {
  /** The price's id, as a checkout takes it. */
  readonly priceId: string
  /** In major units of the currency; null if it is no fixed amount. */
  readonly amount: number | null
  /** The currency in lower case, as `eur`. */
  readonly currency: string
  /** The period of one payment; null for a one-time purchase. */
  readonly every: BillingPeriod | null
}

/** A subscription at the payment provider. */
export interface Subscription {
  /** The subscription's id at the payment provider. */
  readonly id: string
  /** The tier that is paid for. */
  readonly tier: string
  /** The plan from the next period on, if it changes. */
  readonly nextTier: string | null
  /** The price that is paid; null if it is unknown. */
  readonly priceId: string | null
  /** The state of the subscription. */
  readonly status: "incomplete" | "trialing" | "active" | "past-due" | "unpaid" | "paused" | "ended"
  /** Paid for longer at once; its credits come month by month. */
  readonly givesMonthly: boolean
  /** The end of the paid period. */
  readonly paidUntil: string
  /** When it will end, where that is decided. */
  readonly endsAt: string | null
}

/** The subscriptions of a person. */
export interface SubscriptionState {
  /** Your customer id at the payment provider; null if you have none. */
  readonly customerId: string | null
  /** The subscription that gives you your tier; null if there is none. */
  readonly subscription: Subscription | null
  /** Further subscriptions, which are paid for beside this one and give nothing as long as it goes on. */
  readonly others: ReadonlyArray<Subscription>
}

/** The usage of a day, by source and model. */
export interface Usage {
  /** The UTC day, as `2026-11-30`. */
  readonly day: string
  /** The kind of the work, as on its receipt. */
  readonly source: string
  /** The model; empty for metered work. */
  readonly model: string
  /** The number of charges. */
  readonly replies: number
  /** The spent credits. */
  readonly credits: number
  /** The input tokens. */
  readonly input_tokens: number
  /** The output tokens. */
  readonly output_tokens: number
}

/** The usage of some days. */
export interface UsageReport {
  /** The usage, oldest day first. */
  readonly usage: ReadonlyArray<Usage>
  /** The first day of the report. */
  readonly from: string
  /** The last day of the report. */
  readonly to: string
}

/** The operations of this area, by their ids. */
export interface BillingOperations {
  /** Returns your credits. Callers are signed-in people. */
  readonly getBalance: {
    readonly response: Balance
  }
  /** Lists your credit transactions, newest first. Callers are signed-in people. */
  readonly listTransactions: {
    readonly query?: {
      /** The most elements in the response. */
      readonly limit?: number | undefined
      /** Number of elements to skip. */
      readonly offset?: number | undefined
      /** Only transactions of this type; an unknown type returns an empty list. */
      readonly type?: string | undefined
    }
    readonly response: TransactionList
  }
  /** Returns your spent credits by day, source and model. Callers are signed-in people. */
  readonly getUsage: {
    readonly query?: {
      /** The first day, in UTC; 30 days up to the last one unless given. */
      readonly from?: string | undefined
      /** The last day, in UTC; today unless given. */
      readonly to?: string | undefined
    }
    readonly response: UsageReport
  }
  /** Lists the plans with their contents, and the prices of plans and credits; no prices if nothing is sold. Callers are signed-in people. */
  readonly getPlans: {
    readonly response: Plans
  }
  /** Says what you have subscribed to, as far as the payment provider has reported it, and your customer id there. Callers are signed-in people. */
  readonly getSubscription: {
    readonly response: SubscriptionState
  }
  /** Opens the payment provider's page where you pay for a plan or for credits. The credits are granted when the provider reports the payment, not when the browser returns. Callers are signed-in people. */
  readonly createCheckout: {
    readonly body: Checkout
    readonly response: PaymentPage
  }
  /** Opens the payment provider's page for your plan, means of payment and invoices. Callers are signed-in people. */
  readonly openPortal: {
    readonly query?: {
      /** The page of this server to come back to, as a path; the first page unless given. */
      readonly returnTo?: string | undefined
    }
    readonly response: PaymentPage
  }
  /** Lists your invoices, newest first. Callers are signed-in people. */
  readonly listInvoices: {
    readonly query: {
      /** Your customer id at the payment provider. */
      readonly customerId: string
    }
    readonly response: InvoiceList
  }
}
