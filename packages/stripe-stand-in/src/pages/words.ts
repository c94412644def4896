import type { StandInPrice } from "../books/StandInState.ts"

/** An amount in minor units as people read it. */
export const money = (amount: number, currency: string): string => {
  const format = new Intl.NumberFormat("en", { style: "currency", currency: currency.toUpperCase() })
  const { maximumFractionDigits = 2 } = format.resolvedOptions()
  return format.format(Number(`${amount}e-${maximumFractionDigits}`))
}

/** The cost of a price, and its interval. */
export const priceText = ({ amount, currency, every }: StandInPrice): string => {
  const cost = money(amount, currency)
  if (every === undefined) return cost
  return every.count === 1 ? `${cost} a ${every.unit}` : `${cost} every ${every.count} ${every.unit}s`
}

/** A time in whole seconds as people read it, in UTC. */
export const dateText = (seconds: number): string =>
  `${new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(seconds * 1000)} UTC`
