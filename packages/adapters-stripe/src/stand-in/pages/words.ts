import { majorUnits } from "../../currency.ts"
import type { StandInPrice } from "../books/StandInState.ts"

/** An amount in minor units as people read it. */
export const money = (amount: number, currency: string): string =>
  new Intl.NumberFormat("en", { style: "currency", currency: currency.toUpperCase() }).format(
    majorUnits(amount, currency)
  )

/** What a price costs, and how often. */
export const priceText = ({ amount, currency, every }: StandInPrice): string => {
  const cost = money(amount, currency)
  if (every === undefined) return cost
  return every.count === 1 ? `${cost} a ${every.unit}` : `${cost} every ${every.count} ${every.unit}s`
}

/** A time in whole seconds as people read it, in UTC. */
export const dateText = (seconds: number): string =>
  `${new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(seconds * 1000)} UTC`
