import type { StandInPrice } from "../books/StandInState.ts"

/** Formats an amount in minor units for people. */
export const money = (amount: number, currency: string): string => {
  const format = new Intl.NumberFormat("en", { style: "currency", currency: currency.toUpperCase() })
  const { maximumFractionDigits = 2 } = format.resolvedOptions()
  return format.format(Number(`${amount}e-${maximumFractionDigits}`))
}

/** Formats the cost of a price with its interval. */
export const priceText = ({ amount, currency, every }: StandInPrice): string => {
  const cost = money(amount, currency)
  if (every === undefined) return cost
  return every.count === 1 ? `${cost} a ${every.unit}` : `${cost} every ${every.count} ${every.unit}s`
}

/** Formats a time in whole seconds for people, in UTC. */
export const dateText = (seconds: number): string =>
  `${new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(seconds * 1000)} UTC`
