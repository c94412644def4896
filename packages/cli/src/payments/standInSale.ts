import type { StandInPrice } from "@parley/adapters-stripe/stand-in"
import type { CatalogData, Purchase } from "@parley/core"

/** What the stand-in sells where the catalog names no prices: without any, nobody could try out how buying goes. */
const TRIAL_PRICES: CatalogData["prices"] = {
  price_pro_monthly: { tier: "pro" },
  price_pro_yearly: { tier: "pro" },
  price_business_monthly: { tier: "business" },
  price_business_yearly: { tier: "business" },
  price_credits_5000: { topup: 5_000 },
  price_credits_20000: { topup: 20_000 }
}

/** In cents a month. What plans cost is the payment provider's to say; the stand-in has to say something. */
const MONTHLY_CENTS = { free: 0, pro: 2_000, business: 10_000 } as const

/** Two months of a year are for nothing. */
const MONTHS_PAID_OF_A_YEAR = 10

/** For credits that are bought: a cent for ten. */
const CREDITS_PER_CENT = 10

/** The catalog, with prices to try out where it has none. */
export const saleCatalog = (catalog: CatalogData): CatalogData =>
  Object.keys(catalog.prices).length > 0 ? catalog : { ...catalog, prices: TRIAL_PRICES }

const subscriptionPrice = (id: string, tier: keyof typeof MONTHLY_CENTS, name: string): StandInPrice => {
  const cents = MONTHLY_CENTS[tier]
  return /year|annual/i.test(id)
    ? {
        id,
        name: `${name}, a year`,
        amount: MONTHS_PAID_OF_A_YEAR * cents,
        currency: "usd",
        every: { unit: "year", count: 1 }
      }
    : { id, name, amount: cents, currency: "usd", every: { unit: "month", count: 1 } }
}

const standInPrice = (id: string, purchase: Purchase, { tiers }: CatalogData): StandInPrice => {
  if ("tier" in purchase) return subscriptionPrice(id, purchase.tier, tiers[purchase.tier].displayName)
  const name = `${new Intl.NumberFormat("en").format(purchase.topup)} credits`
  return { id, name, amount: Math.max(50, Math.ceil(purchase.topup / CREDITS_PER_CENT)), currency: "usd" }
}

/**
 * What a catalog's prices cost at the stand-in: plans by the month, those whose id speaks of a year by the year; credits
 * once.
 */
export const standInPrices = (catalog: CatalogData): ReadonlyArray<StandInPrice> =>
  Object.entries(catalog.prices).map(([id, purchase]) => standInPrice(id, purchase, catalog))
