import type { StandInPrice } from "@parley/stripe-stand-in"

/** The products of the stand-in in tests. */
export const sale: ReadonlyArray<StandInPrice> = [
  { id: "price_pro", name: "Pro", amount: 2_000, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_business", name: "Business", amount: 10_000, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_pro_year", name: "Pro for a year", amount: 20_000, currency: "usd", every: { unit: "year", count: 1 } },
  { id: "price_credits", name: "5,000 credits", amount: 500, currency: "usd" }
]
