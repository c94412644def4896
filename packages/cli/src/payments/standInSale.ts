import type { StandInPrice } from "@parley/adapters-stripe/stand-in"
import type { CatalogData, Purchase, TierName } from "@parley/core"
import { tierOf } from "@parley/core/effect"

/** What the stand-in sells where the catalog names no prices: without any, nobody could try out how buying goes. */
const trialPrices = ({ tiers: [, ...paid] }: CatalogData): CatalogData["prices"] => ({
  ...Object.fromEntries(
    paid.flatMap(({ name }) => ["monthly", "yearly"].map((every) => [`price_${name}_${every}`, { tier: name }]))
  ),
  price_credits_1000: { topup: 1_000 },
  price_credits_5000: { topup: 5_000 }
})

/** In cents a month. What plans cost is the payment provider's to say; the stand-in has to say something. */
const LOWEST_CENTS = 2_000
/** How many times the plan below it one costs. */
const STEP = 5

/** What a tier costs a month: nothing for the lowest, 20 dollars for the one above, 100 for the next. */
const monthlyCents = ({ tiers }: CatalogData, tier: TierName): number => {
  const place = tiers.findIndex(({ name }) => name === tier)
  return place <= 0 ? 0 : LOWEST_CENTS * STEP ** (place - 1)
}

/** Two months of a year are for nothing. */
const MONTHS_PAID_OF_A_YEAR = 10

/** What a credit that is bought alone costs, as a multiple of what it costs in the dearest plan: those who subscribe pay less. */
const ALONE = 1.25
/** In cents, where no plan has a price to compare with. */
const LEAST_PER_CREDIT = 0.4

/** What a credit that is bought alone costs, in cents. */
const centsPerCredit = (catalog: CatalogData): number => {
  const inPlans = catalog.tiers
    .filter(({ monthlyCredits }) => monthlyCredits > 0)
    .map(({ monthlyCredits, name }) => monthlyCents(catalog, name) / monthlyCredits)
  return ALONE * (Math.max(0, ...inPlans) || LEAST_PER_CREDIT)
}

/** The catalog, with prices to try out where it has none. */
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
 * What a catalog's prices cost at the stand-in: plans by the month, those whose id speaks of a year by the year; credits
 * once.
 */
export const standInPrices = (catalog: CatalogData): ReadonlyArray<StandInPrice> =>
  Object.entries(catalog.prices).map(([id, purchase]) => standInPrice(id, purchase, catalog))
