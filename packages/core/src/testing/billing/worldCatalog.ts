/** The prices of the plans in stories. */
export const PLAN_PRICES = ["price_pro", "price_business", "price_pro_year"] as const
export type PlanPrice = (typeof PLAN_PRICES)[number]

/** The prices and what they buy, for `makeCatalog`. */
export const WORLD_CATALOG = {
  tiers: { free: { monthlyCredits: 100 }, pro: { monthlyCredits: 1_000 }, business: { monthlyCredits: 5_000 } },
  prices: {
    price_pro: { tier: "pro" },
    price_pro_year: { tier: "pro" },
    price_business: { tier: "business" },
    price_credits: { topup: 700 }
  }
} as const
