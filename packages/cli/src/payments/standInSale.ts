import type { StandInPrice } from "@parley/stripe-stand-in"
import type { CatalogData, Purchase, TierName } from "@parley/core"
import { tierOf } from "@parley/core/effect"

/** Example prices for a catalog without prices, so that people can try out buying. */
const trialPrices = ({ tiers: [, ...paid] }: CatalogData): CatalogData["prices"] => ({
  ...Object.fromEntries(
    paid.flatMap(({ name }) => ["monthly", "yearly"].map((every) => [`price_${name}_${every}`, { tier: name }]))
  ),
  price_credits_1000: { topup: 1_000 },
  price_credits_5000: { topup: 5_000 }
})

/** The monthly price of the lowest plan in cents. Real prices are set at the payment provider. */
const LOWEST_CENTS = 2_000
/** The price of a plan, as a multiple of the next lower plan's price. */
const STEP = 5

/** The monthly price of a tier in cents: nothing for the lowest tier, 20 dollars for the next one, then 100. */
const monthlyCents = ({ tiers }: CatalogData, tier: TierName): number => {
  const place = tiers.findIndex(({ name }) => name === tier)
  return place <= 0 ? 0 : LOWEST_CENTS * STEP ** (place - 1)
}

/** The months that a yearly plan costs: two months of the year are free. */
const MONTHS_PAID_OF_A_YEAR = 10

/**
 * The price of a credit in a pack, as a multiple of its price in the most expensive plan, so that subscribers pay less.
 */
const ALONE = 1.25
/** The price of a credit in a pack in cents, if there is no plan with a price to compare with. */
const LEAST_PER_CREDIT = 0.4

/** The price of a credit in a pack in cents. */
const centsPerCredit = (catalog: CatalogData): number => {
  const inPlans = catalog.tiers
    .filter(({ monthlyCredits }) => monthlyCredits > 0)
    .map(({ monthlyCredits, name }) => monthlyCents(catalog, name) / monthlyCredits)
  return ALONE * (Math.max(0, ...inPlans) || LEAST_PER_CREDIT)
}

/** The catalog, with example prices if it has none. */
export const saleCatalog = (catalog: CatalogData): CatalogData =>
  Object.keys(catalog.prices).length > 0 ? catalog : { ...catalog, prices: trialPrices(catalog) }

const subscriptionPrice = (id: string, cents: number, name: string): StandInPrice => {
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

const standInPrice = (id: string, purchase: Purchase, catalog: CatalogData): StandInPrice => {
  if ("tier" in purchase) {
    return subscriptionPrice(id, monthlyCents(catalog, purchase.tier), tierOf(catalog, purchase.tier).displayName)
  }
  const name = `${new Intl.NumberFormat("en").format(purchase.topup)} credits`
  return { id, name, amount: Math.max(50, Math.ceil(purchase.topup * centsPerCredit(catalog))), currency: "usd" }
}

/**
 * The stand-in's amounts for the prices of a catalog: plans are paid monthly, or yearly if their id says so; packs
 * once.
 */
export const standInPrices = (catalog: CatalogData): ReadonlyArray<StandInPrice> =>
  Object.entries(catalog.prices).map(([id, purchase]) => standInPrice(id, purchase, catalog))
