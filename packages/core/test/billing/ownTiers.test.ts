import { describe, expect, it } from "vitest"
import { planOf } from "../../src/billing/planOf.ts"
import { noFacts, type SubscriptionFacts } from "../../src/billing/SubscriptionFacts.ts"
import { makeCatalog } from "../../src/tiers/Catalog.ts"

const MONTH = Date.UTC(2027, 1, 10) - Date.UTC(2027, 0, 10)
const START = Date.UTC(2027, 0, 10)

/** The higher tier grants fewer credits: the order decides which tier is higher, not the credits. */
const catalog = makeCatalog({
  replace: true,
  models: { small: { vendor: "house", vendorModel: "s", creditsPer1kInput: 1, creditsPer1kOutput: 1 } },
  tiers: {
    guest: { monthlyCredits: 40, models: ["small"] },
    reader: { monthlyCredits: 900, models: ["small"] },
    author: { monthlyCredits: 300, models: ["small"] }
  },
  prices: { price_reader: { tier: "reader" }, price_author: { tier: "author" } }
})

const subscription = (id: string, priceId: string, next = priceId): SubscriptionFacts => ({
  ...noFacts(id),
  startedAt: START,
  latest: { at: START, status: "active", priceId: next, periodStart: START, endsAt: undefined },
  paid: { start: START, end: START + MONTH, priceId, isFirst: true, payment: undefined }
})

const planFrom = (...subscriptions: ReadonlyArray<SubscriptionFacts>) =>
  planOf({ userId: "ann", subscriptions, invoiceReports: [] }, catalog, START + 1)?.terms

describe("plans of tiers of one's own", () => {
  it("are, of several that are paid, the highest in the catalog's order", () => {
    const [reader, author] = [subscription("a", "price_reader"), subscription("b", "price_author")]
    expect(planFrom(reader, author)).toMatchObject({ tier: "author", allowance: 300 })
    expect(planFrom(author, reader)).toMatchObject({ tier: "author", allowance: 300 })
  })

  it("become lower at the next period, and higher once that is paid for", () => {
    const lowered = planFrom(subscription("a", "price_author", "price_reader"))
    expect(lowered).toMatchObject({ tier: "author", pendingTier: "reader" })
    const unpaid = subscription("a", "price_reader", "price_author")
    expect(planFrom(unpaid)).toMatchObject({ tier: "reader", pendingTier: undefined })
    const payment = { invoiceId: "in_1", amount: 500, currency: "usd", paidAt: START }
    const raised = planFrom({
      ...unpaid,
      changes: [{ priceId: "price_author", at: START, end: START + MONTH, payment }]
    })
    expect(raised).toMatchObject({ tier: "author", pendingTier: undefined })
  })

  it("are the lowest tier once the last subscription has ended", () => {
    const ended = planFrom({ ...subscription("a", "price_author"), endedAt: START })
    expect(ended).toMatchObject({ tier: "guest", allowance: 40, renewedBy: "schedule" })
  })
})
